// Holds the arrows between packages, the size of files and the names we do not use.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { listFiles } from "./tracked-files.mjs";

/** Package → the packages it may import. Packages that do not exist yet are decided already. */
export const ARROWS = {
  protocol: [],
  view: ["protocol"],
  sandbox: ["protocol"],
  host: ["protocol"],
  conformance: ["protocol"],
  gateway: ["protocol", "sandbox"],
  server: ["protocol", "sandbox", "view"],
  cli: ["protocol", "view", "sandbox", "host", "conformance", "gateway", "server"],
};

// These run in pages where a dependency is everyone's weight and everyone's risk.
const WITHOUT_DEPENDENCIES = ["protocol", "view", "host"];
// A View's code reaches servers as text only; of the Sandbox they share the grammar of declarations.
const ONLY_SUBPATHS = { server: { view: ["inline"], sandbox: ["policy"] } };
const BANNED_NAMES = /(^|\/)(utils?|helpers?|common|core|manager|misc|shared)(\.[a-z]+)*(\/|$)/;
const LONGEST_FILE = 400;

const importPattern = /(?:from\s+|import\s*\(\s*|import\s+)["']([^"']+)["']/g;

/** The complaints about one source file of a package, given its imports. */
export function importComplaints(path, source) {
  const owner = /^packages\/([^/]+)\/src\//.exec(path)?.[1];
  if (!owner) return [];
  const complaints = [];
  for (const [, specifier] of source.matchAll(importPattern)) {
    const [, target, subpath] = /^@vitrine\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
    if (!target) continue;
    if (!ARROWS[owner]?.includes(target)) {
      complaints.push(`${path} imports ${specifier}: ${owner} may not depend on ${target}.`);
    }
    const allowed = ONLY_SUBPATHS[owner]?.[target];
    if (allowed && !allowed.includes(subpath)) {
      complaints.push(
        `${path} imports ${specifier}: only ${target}/${allowed.join(", ")} is open to ${owner}.`,
      );
    }
  }
  return complaints;
}

/** The complaints about a package's manifest. */
export function manifestComplaints(folder, manifest) {
  const expected = folder === "cli" ? "vitrine" : `@vitrine/${folder}`;
  const complaints = [];
  if (!(folder in ARROWS)) complaints.push(`packages/${folder} is not in the table of arrows.`);
  if (manifest.name !== expected) complaints.push(`packages/${folder} must be named ${expected}.`);
  const dependencies = Object.keys(manifest.dependencies ?? {});
  for (const name of dependencies) {
    const target = /^@vitrine\/(.+)$/.exec(name)?.[1];
    if (target && !ARROWS[folder]?.includes(target)) {
      complaints.push(`packages/${folder} declares ${name}, an arrow that is not in the table.`);
    }
    if (!target && WITHOUT_DEPENDENCIES.includes(folder)) {
      complaints.push(`packages/${folder} declares ${name}, but it must not have dependencies.`);
    }
  }
  return complaints;
}

/** The complaints about a file's name and length. */
export function fileComplaints(path, source) {
  const complaints = [];
  if (BANNED_NAMES.test(path)) complaints.push(`${path}: that name says nothing; find the noun.`);
  const lines = source.split("\n").length - 1;
  if (lines > LONGEST_FILE) {
    complaints.push(`${path} has ${lines} lines, more than ${LONGEST_FILE}: a noun is missing.`);
  }
  return complaints;
}

// The gateway sends exactly what it checked, so one file alone turns a message into text (S1).
const SERIALIZER = "packages/gateway/src/json-rpc/serialize.ts";
const FRAMES = /^packages\/gateway\/src\/upstreams\/frames\//;
const LONGEST_FRAMES = 250;
const MESSAGE_TEXT = [
  [/\bas\s+(?:unknown\s+as\s+)?MessageText\b/, "casts to MessageText"],
  [/['"`][^'"`\n]*\{\s*\\?["']jsonrpc\\?["']\s*:/, "writes a message as a string"],
  [/JSON\.stringify\(\s*\{[^{}]*\bjsonrpc\s*:/, "writes a message with JSON.stringify"],
  [
    /JSON\.stringify\(\s*(?:\w+\.)*(?:message|frame|notification|request|response)\s*[,)]/,
    "writes a message with JSON.stringify",
  ],
];

/** The complaints about a file of the gateway that makes JSON-RPC text without the serializer. */
export function messageTextComplaints(path, source) {
  if (!path.startsWith("packages/gateway/src/") || path === SERIALIZER) return [];
  return MESSAGE_TEXT.filter(([pattern]) => pattern.test(source)).map(
    ([, what]) => `${path} ${what}: only ${SERIALIZER} may make JSON-RPC text.`,
  );
}

/** The complaints about the sum of the files that read and adapt messages. */
export function frameComplaints(lines) {
  return lines > LONGEST_FRAMES
    ? [`upstreams/frames has ${lines} lines, more than ${LONGEST_FRAMES}: it edits too much.`]
    : [];
}

async function main() {
  const complaints = [];
  let frames = 0;
  for (const path of await listFiles(/\.(ts|tsx|mjs)$/)) {
    const source = await readFile(path, "utf8");
    complaints.push(
      ...importComplaints(path, source),
      ...fileComplaints(path, source),
      ...messageTextComplaints(path, source),
    );
    if (FRAMES.test(path)) frames += source.split("\n").length - 1;
  }
  complaints.push(...frameComplaints(frames));
  for (const path of await listFiles(/^packages\/[^/]+\/package\.json$/)) {
    const manifest = JSON.parse(await readFile(path, "utf8"));
    complaints.push(...manifestComplaints(path.split("/")[1], manifest));
  }
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
  else console.log("architecture: every arrow, name and file length holds");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
