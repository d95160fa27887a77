// The TypeScript client of both eras.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { finish, job, walk } from "./steps.mjs";

const require = createRequire(process.env.HANDEYE_NODE_MODULES + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { Client, SSEClientTransport, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const mode = job.mode === "pinned" ? { pin: "2026-07-28" } : job.mode;
const client = new Client({ name: "typescript2", version: "1" }, { capabilities: {}, versionNegotiation: { mode } });
const OverHttp = job.url?.endsWith("/sse") ? SSEClientTransport : StreamableHTTPClientTransport;
await client.connect(
  job.url
    ? new OverHttp(new URL(job.url), { requestInit: { headers: { Authorization: `Bearer ${job.token}` } } })
    : new StdioClientTransport({ command: job.command[0], args: job.command.slice(1), env: process.env, stderr: "ignore" }),
);
const told = await walk(client, (called, options) => client.callTool(called, options));
told.version = client.getNegotiatedProtocolVersion();
await finish(client, told);
