import { execFileSync } from "node:child_process";
import { excerpt, type GatewayAttack, unless, unlessTried } from "../attack.ts";
import type { GatewayClient } from "../stage/client.ts";
import { hostileServer, type StagedGateway } from "../stage/stage.ts";

/** How long another tenant may wait while one tenant keeps the gateway busy. */
const LONGEST_WAIT = 2000;

/** Attacks that make the gateway or a server work for one tenant alone. */
export const WORK_ATTACKS: readonly GatewayAttack[] = [
  {
    id: "schema-bomb",
    entries: [157],
    finding: "S5",
    title: "a schema that doubles at each level stops nobody else, and its tool is refused",
    run: async (stage) => {
      const gateway = await stage.start({
        config: { servers: { js: hostileServer(), bomb: hostileServer({ SCHEMA: bomb(60) }) } },
      });
      const mallory = await warmedUp(gateway);
      const called = mallory.call("bomb", "bomb").then(
        ({ text }) => text,
        (error: Error) => error.message,
      );
      const late = await waitsOfOthers(gateway);
      const answer = await Promise.race([called, wait(8000).then(() => "no answer within 8 s")]);
      return [
        ...late,
        ...unless(answer.includes('"error"'), `the tool's call ended with ${excerpt(answer)}`),
      ];
    },
  },
  {
    id: "unique-items",
    entries: [157],
    finding: "S5",
    title: "twenty thousand items that have to differ stop nobody else",
    run: async (stage) => {
      const SCHEMA = JSON.stringify({
        type: "object",
        properties: { list: { type: "array", uniqueItems: true } },
      });
      const gateway = await stage.start({
        config: { servers: { js: hostileServer(), bomb: hostileServer({ SCHEMA }) } },
      });
      const list = Array.from({ length: 20_000 }, (_, at) => ({ at }));
      const mallory = await warmedUp(gateway);
      void mallory.call("bomb", "bomb", { list }).catch(() => {});
      return waitsOfOthers(gateway);
    },
  },
  {
    id: "held-slots",
    entries: [162],
    finding: "S12",
    title: "one user can't take every slot of a server",
    run: async (stage) => {
      const gateway = await stage.shared();
      const mallory = gateway.client("bravo", "mallory");
      const alice = gateway.client("acme", "alice");
      await alice.call("go", "open");
      const slow = Array.from({ length: 100 }, (_, id) =>
        mallory.call("go", "slow", { ms: 3000 }, id).catch(() => undefined),
      );
      await wait(500);
      const { milliseconds, text } = await alice.call("go", "open");
      mallory.close();
      await Promise.all(slow);
      return [
        ...unless(milliseconds < LONGEST_WAIT, `acme waited ${milliseconds.toFixed(0)} ms`),
        ...unless(text.includes("ran open"), `acme's call ended with ${excerpt(text)}`),
      ];
    },
  },
  {
    id: "refused-documents",
    entries: [163],
    finding: "S13",
    title: "views that were never approved don't fill the disk",
    run: async (stage) => {
      const gateway = await stage.start({
        config: { servers: { views: hostileServer({ VIEW_BYTES: "1000000" }) } },
      });
      const mallory = gateway.client("bravo", "mallory");
      await mallory.openView("views", "ui://hostile/view");
      const before = diskUse(gateway.folder);
      const statuses: number[] = [];
      for (let at = 0; at < 25; at++) {
        statuses.push((await mallory.openView("views", "ui://hostile/view")).status);
      }
      const refused = statuses.filter((status) => status >= 400).length;
      const grown = diskUse(gateway.folder) - before;
      return [
        ...unlessTried(refused > 20, `only ${refused} of ${statuses.length} were refused`),
        ...unless(grown < 5, `${refused} refused views wrote ${grown} MiB`),
      ];
    },
  },
];

/** The attacker, once both servers run: only the attack itself is to be measured. */
async function warmedUp(gateway: StagedGateway): Promise<GatewayClient> {
  const mallory = gateway.client("bravo", "mallory");
  await Promise.all([mallory.call("bomb", "echo"), mallory.call("js", "echo")]);
  return mallory;
}

/** Complaints about how long another tenant's call and the health endpoint take. */
async function waitsOfOthers(gateway: StagedGateway): Promise<string[]> {
  const alice = gateway.client("acme", "alice");
  await wait(300);
  const call = alice.call("js", "echo").then(
    ({ milliseconds, text }) => (text.includes("done") ? milliseconds : Number.POSITIVE_INFINITY),
    () => Number.POSITIVE_INFINITY,
  );
  const before = performance.now();
  const health = fetch(`${gateway.operator}/healthz`, { signal: AbortSignal.timeout(10_000) }).then(
    () => performance.now() - before,
    () => Number.POSITIVE_INFINITY,
  );
  const limit = wait(10_000).then(() => Number.POSITIVE_INFINITY);
  const [called, answered] = await Promise.all([Promise.race([call, limit]), health]);
  return [
    ...unless(called < LONGEST_WAIT, `another tenant's call took ${called.toFixed(0)} ms`),
    ...unless(answered < LONGEST_WAIT, `/healthz took ${answered.toFixed(0)} ms`),
  ];
}

/** Some kilobytes of schema that take two to the power of `levels` steps. */
export function bomb(levels: number): string {
  const $defs: Record<string, object> = { [`d${levels}`]: { type: "object" } };
  for (let level = 0; level < levels; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { allOf: [next, next] };
  }
  return JSON.stringify({ type: "object", $defs, allOf: [{ $ref: "#/$defs/d0" }] });
}

function diskUse(folder: string): number {
  return Number(execFileSync("du", ["-sm", folder], { encoding: "utf8" }).split("\t")[0]);
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
