// Compares two PNG files with pixelmatch and writes the picture of the differences: node pixelmatch.mjs NODE_MODULES ONE OTHER OUTPUT
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, one, other, output] = process.argv.slice(2);
const { PNG } = createRequire(path.join(path.resolve(modules), "x.js"))("pngjs");
const { default: pixelmatch } = await import(pathToFileURL(path.resolve(modules, "pixelmatch/index.js")));
const [a, b] = [one, other].map((file) => PNG.sync.read(fs.readFileSync(file)));
const diff = new PNG({ width: a.width, height: a.height });
const begun = performance.now();
const different = pixelmatch(a.data, b.data, diff.data, a.width, a.height, { threshold: 0.1 });
const compare_ms = performance.now() - begun;
fs.writeFileSync(output, PNG.sync.write(diff));
console.log(JSON.stringify({ compare_ms, different }));
