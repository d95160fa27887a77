// The TypeScript SDK of the `initialize` era.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { finish, job, walk } from "./steps.mjs";

const require = createRequire(process.env.HANDEYE_NODE_MODULES + "/");
const load = (name) => import(pathToFileURL(require.resolve("@modelcontextprotocol/sdk/" + name)));
const { Client } = await load("client/index.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");
const { SSEClientTransport } = await load("client/sse.js");
const { StdioClientTransport } = await load("client/stdio.js");

const client = new Client({ name: "typescript1", version: "1" }, { capabilities: {} });
const OverHttp = job.url?.endsWith("/sse") ? SSEClientTransport : StreamableHTTPClientTransport;
const transport = job.url
  ? new OverHttp(new URL(job.url), { requestInit: { headers: { Authorization: `Bearer ${job.token}` } } })
  : new StdioClientTransport({ command: job.command[0], args: job.command.slice(1), env: process.env, stderr: "ignore" });
let version = null;
transport.setProtocolVersion = ((set) => (agreed) => ((version = agreed), set?.call(transport, agreed)))(transport.setProtocolVersion);
await client.connect(transport);
const told = await walk(client, (called, options) => client.callTool(called, undefined, options));
told.version = version;
await finish(client, told);
