// The whole way of a tool call in a real Chromium, from a Host's page to a server over stdio and back:
// through this gateway over a WebSocket, with policy and a full audit log on disk, and through a gateway of
// the official SDK by `fetch`, with neither. The two in turns, in one page, before the same server program.
//
//   npm run bench:gateway:chain            40 rounds of 50 calls of each
//   npm run bench:gateway:chain -- --quick 12 rounds of 40

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../bundles.mjs";
import { toDecimal, toTable } from "../table.mjs";
import { startBrowser } from "../view/browser.mjs";
import { createCleanUp } from "../view/clean-up.mjs";
import { readMachineTime } from "../view/processor-time.mjs";
import { listen, readBody, send } from "../view/servers.mjs";
import { median, quantile } from "../view/statistics.mjs";
import { untilStopped } from "../view/stop.mjs";

const isQuick = process.argv.includes("--quick");
const LEAST = 4;
const ROUNDS = isQuick ? 12 : 40;
const CALLS = isQuick ? 40 : 50;
/** Rounds before the first that counts: a gateway that serves for days is compiled, and so is the official one. */
const WARM_UP = 120;
const TOKEN = "a-token-of-the-chain-0123456789abcdef";
const NODE = [
  process.execPath,
  "--experimental-strip-types",
  "--no-warnings",
  "--conditions=@vitrine/source",
];
const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const SERVER = [...NODE, fileOf("chain-server.ts")];

const cleanUp = createCleanUp();

/** A program that prints its port. */
async function startProgram(args, pattern) {
  const [command, ...rest] = [...NODE, ...args];
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"] });
  await cleanUp.add(() => void child.kill("SIGTERM"));
  let said = "";
  for await (const [data] of iterate(child)) {
    said += data;
    const found = pattern.exec(said);
    if (found) return `http://gateway.localhost:${found[1]}`;
  }
  throw new Error(`${args[0]} ended: ${said}`);
}

async function* iterate(child) {
  const ended = once(child, "exit").then(() => undefined);
  for (;;) {
    const data = await Promise.race([once(child.stdout, "data"), ended]);
    if (!data) return;
    yield data;
  }
}

/** The gateway as an operator starts it. */
async function startOurs(folder, name, origin, audit) {
  const file = join(folder, `${name}.json`);
  const { port, close } = await listen(() => {});
  close();
  const config = {
    // By a name that the browser of the bench finds.
    listen: { port, hosts: [`gateway.localhost:${port}`] },
    origins: [origin],
    auth: { token: TOKEN },
    engine: { driver: "sqlite", folder: `./${name}` },
    audit,
    // All calls are one View's here, at a pace that no user has.
    limits: { viewPerMinute: 1e7, userPerMinute: 1e7, serverPerMinute: 1e7 },
    telemetry: { log: "error" },
    servers: { chain: { command: SERVER, sharing: "all" } },
  };
  await writeFile(file, JSON.stringify(config));
  const main = fileOf("../../packages/gateway/src/main.ts");
  return startProgram([main, "start", "--config", file], /Gateway +http:\/\/localhost:(\d+)/);
}

async function run() {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-chain-"));
  await cleanUp.add(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const script = await bundle('import "./gateway/chain-page.ts"');
  const outcome = Promise.withResolvers();
  let task;
  const page = await listen(async (request, response) => {
    // With these a page's clock has steps of 5 µs in place of 100.
    response.setHeader("cross-origin-opener-policy", "same-origin");
    response.setHeader("cross-origin-embedder-policy", "require-corp");
    if (request.url === "/task") send(response, "application/json", JSON.stringify(task));
    else if (request.url === "/script.js") send(response, "text/javascript", script);
    else if (request.url === "/outcome") {
      outcome.resolve(JSON.parse(await readBody(request)));
      response.end();
    } else send(response, "text/html", '<script type="module" src="script.js"></script>');
  });
  await cleanUp.add(page.close);
  const origin = `http://host.localhost:${page.port}`;
  const ours = {
    ours: await startOurs(folder, "ours", origin, { level: "full" }),
    "ours, stored first": await startOurs(folder, "wait", origin, { level: "full", mode: "wait" }),
  };
  const official = await startProgram(
    [fileOf("chain-official.ts"), origin, ...SERVER],
    /port (\d+)/,
  );
  task = { rounds: ROUNDS, calls: CALLS, warmUp: WARM_UP, ours, official, token: TOKEN };
  const before = { ...readMachineTime(), own: readFamilyTime() };
  const browser = await startBrowser(`${origin}/`);
  await cleanUp.add(browser.close);
  const { samples, error } = await Promise.race([outcome.promise, browser.exited]);
  if (error) throw new Error(`The page failed: ${error}`);
  const after = { ...readMachineTime(), own: readFamilyTime() };
  const others = Math.max(0, after.busy - before.busy - (after.own - before.own));
  return { samples, others: others / (after.total - before.total) };
}

/** Milliseconds of CPU of this process and all that it started, and they. */
function readFamilyTime() {
  const family = new Set([process.pid]);
  let ticks = 0;
  // A child has a higher process id than its parent, until the ids wrap around.
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const pid of pids.map(Number).sort((one, other) => one - other)) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (!family.has(Number(fields[1])) && pid !== process.pid) continue;
      family.add(pid);
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended between the listing and the reading.
    }
  }
  return ticks * 10;
}

function report({ samples, others }) {
  const all = (name) => samples.flatMap((sample) => sample[name]);
  const rows = Object.keys(samples[0]).map((name) => [
    name
      .replace(/official ping/, "official: bare fetch")
      .replace(" ping", ": gateway's own answer"),
    toDecimal(quantile(all(name), 0.1), 3),
    toDecimal(median(all(name)), 3),
    toDecimal(quantile(all(name), 0.9), 3),
  ]);
  console.log(toTable(["tools/call in the page, ms", "p10", "p50", "p90"], rows));
  console.log(
    `\n${ROUNDS} rounds of ${CALLS} calls each; others used ${toDecimal(others * 100, 0)} % of the machine.`,
  );
  // Within each round, where what disturbs one disturbs the other, and of those the median.
  const ratioOf = (name, share) =>
    median(
      samples.map((sample) => quantile(sample.official, share) / quantile(sample[name], share)),
    );
  const stored = toDecimal(ratioOf("ours, stored first", 0.5));
  console.log(`with audit.mode wait: ${stored} × faster (p50), for information`);
  console.log(`p90: ${toDecimal(ratioOf("ours", 0.9))} × faster`);
  const ratio = ratioOf("ours", 0.5);
  const ok = ratio >= LEAST;
  console.log(
    `chain in Chromium, official ÷ ours, p50: ${toDecimal(ratio)}, at least ${LEAST}: ${ok ? "ok" : "FAILED"}`,
  );
  return ok;
}

let ok = false;
try {
  ok = report(await Promise.race([run(), untilStopped(600, cleanUp)]));
} finally {
  await cleanUp.run();
}
process.exit(ok ? 0 : 1);
