// Follows docs/operate.md: runs its commands as they are printed and compares what they print.

import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PATIENCE = 60_000;
/** The isolated server needs copies, because a link would lead out of its folder. */
const COPIED = ["@modelcontextprotocol/core", "@modelcontextprotocol/server", "zod"];
const LINKED = ["@cedar-policy/cedar-wasm", "@modelcontextprotocol/client", "oidc-provider"];
const WRITES = process.argv.includes("--print");

const guide = readFileSync(join(ROOT, "docs/operate.md"), "utf8");
const [, part = ""] = guide.split(/<!-- company: (?:begin|end) -->/);
const BLOCK = /(?:<!-- company: ([\w ]+) -->\n)?```(\w*)\n([\s\S]*?)```/g;
const blocks = [...part.matchAll(BLOCK)].map(([, mark, language, text]) => ({
  mark,
  language,
  text,
}));

const home = mkdtempSync(join(tmpdir(), "vitrine-company-"));
// As root the gateway runs servers as nobody, who has to reach their files.
chmodSync(home, 0o755);
const folder = join(home, "company");
const node = join(home, "node");
const started = new Set();

/** Differences between two runs that say nothing. */
function normal(text) {
  return text
    .replaceAll(folder, "/home/you/company")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\d+(?:\.\d+)? ms/g, "N ms")
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{8,}\b/g, "ID")
    .replaceAll(/\b[\w-]{43}(?= |$)/gm, "ID")
    .replaceAll(/before-restore-[\dT-]+\d/g, "before-restore-TIME")
    .replaceAll(/\b\d+ (audit records|records|steps|runs?|bytes|metrics)\b/g, "N $1")
    .replaceAll(/^\d+$/gm, "N")
    .replaceAll(/ +/g, " ")
    .trim();
}

function shell(text, { isBackground = false } = {}) {
  const vitrine = `vitrine() { node --experimental-strip-types --no-warnings --conditions=@vitrine/source $VITRINE/packages/cli/src/main.ts "$@"; }`;
  const script = `${vitrine}\n${isBackground ? "" : "exec 2>&1\n"}${text}`;
  const env = { ...process.env, VITRINE: ROOT, PATH: `${node}:${process.env.PATH}`, NO_COLOR: "1" };
  const child = spawn("bash", ["-c", script], { cwd: at, env, detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      output += data;
    });
  }
  return { child, output: () => output };
}

let at = home;
async function runToEnd(text) {
  const { child, output } = shell(text);
  await new Promise((resolve) => child.once("close", resolve));
  if (text.includes("cd company")) at = folder;
  return output();
}

/** Starts a program that keeps running, and waits until it printed the last expected line. */
async function startInBackground(text, expected) {
  const { child, output } = shell(text, { isBackground: true });
  started.add(child);
  const last = normal(expected).split("\n").at(-1);
  const end = Date.now() + PATIENCE;
  while (!normal(withoutLog(output())).includes(last) && child.exitCode === null) {
    if (Date.now() > end) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return withoutLog(output());
}

/** The gateway's log is on the same screen. */
function withoutLog(text) {
  return text
    .split("\n")
    .filter((line) => !/^\{"level"|^\d\d:\d\d:\d\d/.test(line))
    .join("\n");
}

async function stop(child) {
  started.delete(child);
  const closed = new Promise((resolve) => child.once("close", resolve));
  if (child.exitCode === null) process.kill(-child.pid, "SIGTERM");
  else return;
  await closed;
}

/** What `npm install` does, with the packages of this repository. */
function install() {
  for (const name of [...COPIED, ...LINKED]) {
    const [from, to] = [ROOT, folder].map((base) => join(base, "node_modules", name));
    mkdirSync(dirname(to), { recursive: true });
    if (LINKED.includes(name)) symlinkSync(from, to);
    else cpSync(from, to, { recursive: true, dereference: true });
  }
}

let commands = 0;
let failed = 0;
try {
  // Node in a user's home may not be readable for an isolated server.
  mkdirSync(node);
  cpSync(process.execPath, join(node, "node"));
  for (const [place, { mark, language, text }] of blocks.entries()) {
    if (language !== "sh") continue;
    const next = blocks[place + 1];
    const expected = next?.language === "" ? next.text : "";
    if (mark === "manual") {
      install();
      continue;
    }
    if (mark === "stop gateway") await stop([...started].at(-1));
    const isBackground = mark === "background";
    const printed = isBackground ? await startInBackground(text, expected) : await runToEnd(text);
    commands += text.trim().split(/\n(?! )/).length;
    if (WRITES) console.log(`$ ${text}${printed}`);
    if (normal(printed) === normal(expected) || (isBackground && expected === "")) continue;
    failed++;
    console.log(`company: other output\n$ ${text}--- printed\n${normal(printed)}`);
    console.log(`--- docs/operate.md\n${normal(expected)}\n`);
  }
} finally {
  for (const child of [...started]) await stop(child);
  rmSync(home, { recursive: true, force: true });
}
console.log(`company: ${commands} commands of docs/operate.md, ${failed} with other output`);
if (failed > 0 || commands === 0) process.exitCode = 1;
