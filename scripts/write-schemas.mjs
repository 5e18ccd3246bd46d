// Writes the JSON Schemas of @vitrine/server from the descriptions of its options; a test compares them.

import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { pageSchema, uiMetaSchema } from "../packages/server/src/templates/schema-files.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const fileOf = (name) => `${ROOT}packages/server/schema/${name}.schema.json`;
const written = JSON.parse(await readFile(fileOf("ui-meta"), "utf8"));
await writeFile(fileOf("ui-meta"), JSON.stringify(uiMetaSchema(written)));
await writeFile(fileOf("page"), JSON.stringify(pageSchema()));
const files = [fileOf("ui-meta"), fileOf("page")];
execFileSync(`${ROOT}node_modules/.bin/biome`, ["format", "--write", ...files], {
  stdio: "inherit",
});
