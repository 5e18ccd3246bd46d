// Counts, by role, the rules of spec/rules.json that a test names in its title.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { listFiles } from "./tracked-files.mjs";

const ROLES = ["view", "sandbox", "host", "server"];
// Roles whose every rule is covered: from then on a gap is a failure.
const COMPLETE = ["view", "sandbox", "host", "server"];

/** The ids that stand in string literals of a test file: titles, not remarks in comments. */
export function namedRules(source) {
  const literals =
    source.match(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\/.*/g) ?? [];
  const titles = literals.filter((literal) => !literal.startsWith("//"));
  return titles.flatMap((title) => title.match(/\b(?:SRV|HST|SBX|VEW)-\d+\b/g) ?? []);
}

/** The rules that tests cover, those they don't, and ids that aren't registered. */
export function coverage(rules, files) {
  const provenBy = new Map(rules.map(({ id }) => [id, new Set()]));
  const unknown = [];
  for (const { path, source } of files) {
    for (const id of namedRules(source)) {
      if (provenBy.has(id)) provenBy.get(id).add(path);
      else unknown.push({ id, path });
    }
  }
  return { provenBy, unknown };
}

async function main([role]) {
  const rules = JSON.parse(await readFile(new URL("../spec/rules.json", import.meta.url), "utf8"));
  const paths = await listFiles(/(^|\/)test\/.*\.test\.tsx?$/);
  const files = await Promise.all(
    paths.map(async (path) => ({ path, source: await readFile(path, "utf8") })),
  );
  const { provenBy, unknown } = coverage(rules, files);
  let failed = unknown.length > 0;
  for (const { id, path } of unknown) {
    console.error(`${path} names ${id}, which spec/rules.json does not know.`);
  }
  for (const name of ROLES) {
    const own = rules.filter((rule) => rule.role === name);
    const missing = own.filter(({ id }) => provenBy.get(id).size === 0);
    if (role === name) {
      for (const { id, rule } of own) {
        console.log(`${id}  ${rule}\n        ${[...provenBy.get(id)].join(", ") || "no test"}`);
      }
    }
    console.log(`${name} ${own.length - missing.length}/${own.length}`);
    if (COMPLETE.includes(name) && missing.length > 0) {
      failed = true;
      console.error(`No test names ${missing.map(({ id }) => id).join(", ")}.`);
    }
  }
  if (failed) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
