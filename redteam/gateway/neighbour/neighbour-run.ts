// `npm run redteam:gateway -- neighbour`: one tenant attacks for 30 s in total, in one way after the other and
// in all ways together. Before each the other tenant's latency is measured in quiet; all these turns together are
// its quiet latency, since one turn alone has too few calls for a p99.

import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bomb } from "../attacks/work.ts";
import { GatewayStage, hostileServer, type StagedGateway } from "../stage/stage.ts";
import type { AttackOrder } from "./attacker.ts";
import { FLOODS } from "./floods.ts";
import { p99Of, Victim, type Waits } from "./victim.ts";

const ATTACKER = fileURLToPath(new URL("./attacker.ts", import.meta.url));
const WARM_UP = 5000;
const QUIET = 1500;
const ALONE = 3000;
const TOGETHER = 9000;
const MOST_TIMES = 5;
const LONGEST = 500;
const LONGEST_HEALTH = 500;
const MOST_MEMORY = 150;
const LEAST_CALLS = 20;

interface Phase {
  readonly name: string;
  readonly floods: readonly string[];
  readonly milliseconds: number;
}

interface PhaseResult {
  readonly name: string;
  readonly quiet: Waits;
  readonly attacked: Waits;
  /** Resident memory at its highest, above what it was at first. */
  readonly memory: number;
}

const PHASES: readonly Phase[] = [
  ...Object.keys(FLOODS).map((name) => ({ name, floods: [name], milliseconds: ALONE })),
  { name: "all together", floods: Object.keys(FLOODS), milliseconds: TOGETHER },
];

/** Runs all phases, prints a table and one figure; true if the other tenant hardly noticed. */
export async function runNeighbour(): Promise<boolean> {
  const stage = await GatewayStage.open();
  const attacker = fork(ATTACKER, { execArgv: process.execArgv });
  setApart(attacker.pid as number);
  try {
    const gateway = await startGateway(stage);
    const tokens = ["mallory", "eve", "trudy"].map((user) => stage.issuer.token("bravo", user));
    const victim = new Victim(gateway);
    await victim.measure(WARM_UP);
    const before = gateway.process.memory();
    const results: PhaseResult[] = [];
    for (const phase of PHASES) {
      const result = await runPhase(phase, { gateway, victim, attacker, tokens, before });
      results.push(result);
    }
    const dropped = await droppedRecords(gateway, victim);
    return report(results, dropped);
  } finally {
    attacker.kill("SIGKILL");
    await stage.close();
  }
}

/** An attacker has machines of its own, so what it needs of this one must not slow the gateway down. */
function setApart(pid: number): void {
  setPriority(pid, 19);
  const cores = availableParallelism();
  if (cores > 1) execFileSync("taskset", ["-cp", `${cores - 1}`, `${pid}`], { stdio: "ignore" });
}

async function startGateway(stage: GatewayStage): Promise<StagedGateway> {
  const unique = { type: "object", properties: { list: { type: "array", uniqueItems: true } } };
  const servers = {
    ...stage.servers(),
    views: hostileServer({ VIEW_BYTES: "1000000" }),
    bomb: hostileServer({ SCHEMA: bomb(60) }),
    unique: hostileServer({ SCHEMA: JSON.stringify(unique) }),
  };
  // What Node gives itself in a container of 1 GiB, the chart's limit: without one, V8 lets garbage grow with the
  // memory of the machine, and that would be measured instead.
  const environment = { NODE_OPTIONS: "--max-old-space-size=512" };
  const gateway = await stage.start({ config: { servers }, environment });
  // Memory is compared with a gateway in use: its servers run, and so do the threads that check schemas.
  const alice = gateway.client("acme", "alice");
  await Promise.all([
    ...["bomb", "views"].map((server) => alice.call(server, "echo").catch(() => {})),
    ...[1, 2].map((at) => alice.call("unique", "bomb", { list: [at] })),
  ]);
  return gateway;
}

async function runPhase(
  { name, floods, milliseconds }: Phase,
  parts: {
    gateway: StagedGateway;
    victim: Victim;
    attacker: ChildProcess;
    tokens: readonly string[];
    before: number;
  },
): Promise<PhaseResult> {
  const { gateway, victim, attacker, tokens, before } = parts;
  const quiet = await victim.measure(QUIET);
  const order: AttackOrder = { floods, port: gateway.port, tokens };
  attacker.send(order);
  let highest = 0;
  const watch = setInterval(() => {
    highest = Math.max(highest, gateway.process.memory());
  }, 50);
  const attacked = await victim.measure(milliseconds);
  clearInterval(watch);
  attacker.send("stop");
  await Promise.race([once(attacker, "message"), sleep(3000)]);
  await sleep(500);
  return { name, quiet, attacked, memory: highest - before };
}

function complaintsAbout({ attacked, memory }: PhaseResult, quiet: number): string[] {
  const complaints: string[] = [];
  const most = Math.min(LONGEST, MOST_TIMES * quiet);
  if (attacked.calls < LEAST_CALLS) complaints.push(`only ${attacked.calls} calls were answered`);
  if (attacked.p99 > most) complaints.push(`p99 above ${most.toFixed(0)} ms`);
  if (attacked.failed > 0) complaints.push(`${attacked.failed} failed: ${attacked.failure}`);
  if (attacked.health > LONGEST_HEALTH) complaints.push(`/healthz above ${LONGEST_HEALTH} ms`);
  if (memory > MOST_MEMORY) complaints.push(`memory above +${MOST_MEMORY} MiB`);
  return complaints;
}

/** Calls of the tenant that was attacked of which the audit log has no answer. */
async function droppedRecords(gateway: StagedGateway, victim: Victim): Promise<number> {
  // The log writes behind; give it the time to catch up.
  await sleep(2000);
  const records = await gateway.records();
  const answers = records.filter(
    ({ event, method, actor }) =>
      event === "answer" &&
      method === "tools/call" &&
      victim.users.includes(`${(actor as { user?: string })?.user}`),
  );
  return Math.max(0, victim.answered - answers.length);
}

function report(results: readonly PhaseResult[], dropped: number): boolean {
  const quiet = p99Of(results.flatMap(({ quiet: { times } }) => times));
  const figure = (value: number): string => value.toFixed(1).padStart(8);
  let isHeld = dropped === 0;
  for (const result of results) {
    const { name, attacked, memory } = result;
    const complaints = complaintsAbout(result, quiet);
    if (complaints.length > 0) isHeld = false;
    console.log(
      `${complaints.length > 0 ? "FAIL" : "ok  "} ${name.padEnd(15)} p99 ${figure(attacked.p99)} ms, calls ${attacked.calls}, /healthz ${figure(attacked.health)} ms, memory +${memory} MiB  ${complaints.join("; ")}`,
    );
  }
  const worst = (of: (result: PhaseResult) => number): number => Math.max(...results.map(of));
  const slowest = worst(({ attacked }) => attacked.p99);
  console.log(
    `redteam:gateway neighbour: ${isHeld ? "holds" : "FAILS"}: p99 at most ${slowest.toFixed(0)} ms, ${(slowest / quiet).toFixed(1)} times the quiet ${quiet.toFixed(1)} ms, ${dropped} records dropped, /healthz within ${worst(({ attacked }) => attacked.health).toFixed(0)} ms, memory +${worst(({ memory }) => memory)} MiB`,
  );
  return isHeld;
}
