// Checks the allowed imports between packages and between folders, import cycles, file lengths and
// file names.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { importCycles, importGraph, repeatedNames, upwardImports } from "./import-graph.mjs";
import { listFiles } from "./tracked-files.mjs";
import { unitTestComplaints } from "./unit-tests.mjs";

/** Package → the packages that it may import. */
export const ARROWS = {
  protocol: [],
  view: ["protocol"],
  sandbox: ["protocol"],
  host: ["protocol"],
  conformance: ["protocol"],
  gateway: ["protocol", "sandbox"],
  cluster: ["protocol", "gateway"],
  server: ["protocol", "sandbox", "view"],
  chat: ["protocol", "host"],
  testing: ["protocol", "sandbox", "host"],
  cli: [
    "protocol",
    "view",
    "sandbox",
    "host",
    "chat",
    "testing",
    "conformance",
    "gateway",
    "server",
  ],
};

/** Folders that every other folder of the gateway may import. */
const LEAVES = ["errors", "json-rpc", "crypto"];

/**
 * Package → folder of `src` → the folders that it may import. "." stands for the files directly in
 * `src`, "*" for every folder. A package that isn't listed has no rule for its folders.
 */
export const LAYERS = {
  gateway: {
    ".": ["*"],
    service: ["*"],
    admin: [
      ".",
      "policy",
      "identity",
      "upstreams",
      "audit",
      "engine",
      "config",
      "observability",
      "edge",
      ...LEAVES,
    ],
    observability: ["policy", "upstreams", "audit", "engine", "config", ...LEAVES],
    edge: ["policy", "identity", ...LEAVES],
    policy: ["identity", "upstreams", "audit", "engine", ...LEAVES],
    identity: ["upstreams", "engine", "config", ...LEAVES],
    audit: ["engine", ...LEAVES],
    upstreams: LEAVES,
    engine: LEAVES,
    // The types of the configuration, and how it is read.
    config: LEAVES,
    errors: ["json-rpc"],
    "json-rpc": [],
    crypto: ["errors"],
  },
  cluster: {
    ".": ["*"],
    routing: ["membership"],
    membership: [],
    nats: [],
    spool: [],
  },
};

// These run in pages, where every dependency adds bytes and risk for everyone.
const WITHOUT_DEPENDENCIES = ["protocol", "view", "host"];
// A server gets the view SDK as text only. From the sandbox it uses the parser of declarations.
const ONLY_SUBPATHS = { server: { view: ["inline"], sandbox: ["policy"] } };
const BANNED_NAMES = /(^|\/)(utils?|helpers?|common|core|manager|misc|shared)(\.[a-z]+)*(\/|$)/;
const LONGEST_FILE = 400;

const importPattern = /(?:from\s+|import\s*\(\s*|import\s+)["']([^"']+)["']/g;

/** Complaints about the packages that one source file imports. */
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
        `${path} imports ${specifier}: ${owner} may import only ${target}/${allowed.join(", ")}.`,
      );
    }
  }
  return complaints;
}

/** Complaints about a package's manifest. */
export function manifestComplaints(folder, manifest) {
  const expected = folder === "cli" ? "vitrine" : `@vitrine/${folder}`;
  const complaints = [];
  if (!(folder in ARROWS)) complaints.push(`packages/${folder} is missing from the table ARROWS.`);
  if (manifest.name !== expected) complaints.push(`packages/${folder} must be named ${expected}.`);
  const dependencies = Object.keys(manifest.dependencies ?? {});
  for (const name of dependencies) {
    const target = /^@vitrine\/(.+)$/.exec(name)?.[1];
    if (target && !ARROWS[folder]?.includes(target)) {
      complaints.push(
        `packages/${folder} depends on ${name}, which the table ARROWS doesn't allow.`,
      );
    }
    if (!target && WITHOUT_DEPENDENCIES.includes(folder)) {
      complaints.push(`packages/${folder} depends on ${name}, but must not have dependencies.`);
    }
  }
  return complaints;
}

/** Complaints about a file's name and length. */
export function fileComplaints(path, source) {
  const complaints = [];
  if (BANNED_NAMES.test(path))
    complaints.push(`${path}: the name doesn't say what is in it. Use a noun of the field.`);
  const lines = source.split("\n").length - 1;
  if (lines > LONGEST_FILE) {
    complaints.push(`${path} has ${lines} lines, more than ${LONGEST_FILE}. Split it.`);
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

/** Complaints about a gateway file that writes JSON-RPC text without the serializer. */
export function messageTextComplaints(path, source) {
  if (!/^packages\/(gateway|cluster)\/src\//.test(path) || path === SERIALIZER) return [];
  return MESSAGE_TEXT.filter(([pattern]) => pattern.test(source)).map(
    ([, what]) => `${path} ${what}: only ${SERIALIZER} may write JSON-RPC text.`,
  );
}

/** Complaints about the total length of the files that read and adapt messages. */
export function frameComplaints(lines) {
  return lines > LONGEST_FRAMES
    ? [`upstreams/frames has ${lines} lines, more than ${LONGEST_FRAMES}: it edits too much.`]
    : [];
}

/** Complaints about cycles, upward imports and repeated names. `files` maps paths to source text. */
export function structureComplaints(files, layers = LAYERS) {
  const graph = importGraph(files);
  const cycles = importCycles(graph);
  const upward = Object.entries(layers).flatMap(([name, rules]) =>
    upwardImports(graph, name, rules),
  );
  const repeated = repeatedNames(files.keys());
  const complaints = [
    ...cycles.map((group) => `Import cycle: ${group.join(", ")}.`),
    ...upward,
    ...repeated.map((group) => `Several files have the same name: ${group.join(", ")}.`),
  ];
  const summary = `cycles ${cycles.length}, upward imports ${upward.length}, repeated names ${repeated.length}`;
  return { complaints, summary };
}

async function main() {
  const complaints = [];
  const sources = new Map();
  const tests = new Map();
  let frames = 0;
  for (const path of await listFiles(/\.(ts|tsx|mjs)$/)) {
    const source = await readFile(path, "utf8");
    complaints.push(
      ...importComplaints(path, source),
      ...fileComplaints(path, source),
      ...messageTextComplaints(path, source),
    );
    if (/^packages\/[^/]+\/src\//.test(path)) sources.set(path, source);
    if (/(^|\/)test\/|^internal\//.test(path)) tests.set(path, source);
    if (FRAMES.test(path)) frames += source.split("\n").length - 1;
  }
  complaints.push(...frameComplaints(frames));
  complaints.push(...unitTestComplaints(tests));
  const structure = structureComplaints(sources);
  complaints.push(...structure.complaints);
  for (const path of await listFiles(/^packages\/[^/]+\/package\.json$/)) {
    const manifest = JSON.parse(await readFile(path, "utf8"));
    complaints.push(...manifestComplaints(path.split("/")[1], manifest));
  }
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
  console.log(`architecture: ${structure.summary}, complaints ${complaints.length}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
