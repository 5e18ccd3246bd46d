// Kills the whole process under load and restarts it on the same folder: no acknowledged data is lost, no
// call is executed twice, and waiting callers learn that the outcome is unknown.

import { type GatewayUpstream, openGatewayUpstream } from "@vitrine/host/gateway";
import { expect, test } from "vitest";
import {
  isAlive,
  openSite,
  type RunningGateway,
  type Site,
  startGateway,
  TOKEN,
  VIEW,
} from "./gateway-process.ts";
import { seeded } from "./seeded.ts";

const KILLS = 8;
const VIEWS = 4;
/** Longer than what a gateway takes to be killed. */
const SLOW = 300;

type Outcome = "answered" | "unknown" | "open" | `refused ${string}`;

/** What Views asked, and what they received. */
class Load {
  readonly calls = new Map<string, { outcome: Outcome; at: number }>();
  readonly upstreams: GatewayUpstream[] = [];
  #isOver = false;
  #running: Promise<void>[] = [];

  async open(site: Site): Promise<void> {
    const { url: gateway } = site;
    const options = { gateway, server: "counter", resource: VIEW, token: () => TOKEN };
    const upstream = await openGatewayUpstream(options);
    const name = `v${this.upstreams.push(upstream)}`;
    this.#running.push(this.#run(upstream, name));
  }

  /** One call of a View that waits long enough to be in flight when the gateway dies. */
  async call(upstream: GatewayUpstream, call: string, wait: number): Promise<void> {
    const made = { outcome: "open" as Outcome, at: 0 };
    this.calls.set(call, made);
    const params = { name: "count", arguments: { call, wait } };
    made.outcome = await upstream.request("tools/call", params).then(
      (): Outcome => "answered",
      ({ code, message }): Outcome =>
        code === "outcome-unknown" ? "unknown" : `refused ${code} ${message}`,
    );
    made.at = performance.now();
  }

  of(outcome: Outcome): string[] {
    return [...this.calls].filter(([, made]) => made.outcome === outcome).map(([call]) => call);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
    for (const upstream of this.upstreams) upstream.close();
  }

  async #run(upstream: GatewayUpstream, name: string): Promise<void> {
    for (let n = 0; !this.#isOver; n++) await this.call(upstream, `${name}-${n}`, n % 8);
  }
}

interface Scene {
  site: Site;
  load: Load;
  gateway: RunningGateway;
}

/** A gateway with an audit log that keeps everything, the user's word for a tool, and Views that call it. */
async function open(audit: object): Promise<Scene> {
  const site = await openSite({ config: { audit: { level: "full", ...audit } } });
  const gateway = await startGateway(site);
  const given = await site.post("/servers/counter/grants", { tool: "count", scope: "always" });
  expect(given, JSON.stringify(given.body)).toMatchObject({ status: 204 });
  const load = new Load();
  for (let n = 0; n < VIEWS; n++) await load.open(site);
  return { site, load, gateway };
}

/** Kills it in the middle of its work, and starts it again once its server is gone as well. */
async function killAndStart(scene: Scene, moment: number, round: number): Promise<string> {
  const { site, load } = scene;
  const before = load.of("answered").length;
  await expect
    .poll(() => load.of("answered").length - before, { timeout: 60_000 })
    .toBeGreaterThan(20);
  const last = `slow-${round}`;
  const [upstream] = load.upstreams as [GatewayUpstream];
  const waiting = load.call(upstream, last, SLOW);
  const isMade = async () => (await site.journal()).some(({ call }) => call === last);
  await expect.poll(isMade, { timeout: 30_000, interval: 5 }).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, moment * (SLOW / 2)));
  const { process: child } = (await site.journal()).at(-1) as { process: number };
  await scene.gateway.end("SIGKILL");
  scene.gateway = await startGateway(site);
  // It had no time to end its server, which ends by itself or by the guard.
  await expect.poll(() => isAlive(child), { timeout: 20_000 }).toBe(false);
  expect(await site.verify()).toMatchObject({ code: 0 });
  await waiting;
  return last;
}

function callOf(record: { arguments?: unknown; result?: unknown }): string {
  const { structuredContent } = Object(record.result) as { structuredContent?: { call?: string } };
  const { call } = Object(record.arguments) as { call?: string };
  return call ?? structuredContent?.call ?? "";
}

async function recorded(site: Site): Promise<{ asked: Set<string>; answered: Set<string> }> {
  const asked = new Set<string>();
  const answered = new Set<string>();
  for (const record of await site.records()) {
    if (record.tool !== "count") continue;
    // The user's word was given once and holds: nobody was sent away to ask for it again.
    expect(record.decision?.verdict).not.toBe("deny");
    (record.event === "request" ? asked : answered).add(callOf(record));
  }
  return { asked, answered };
}

test.each([
  { mode: "spool", kills: KILLS },
  { mode: "wait", kills: 3 },
])(
  "killed $kills times under load: grants hold, the chain verifies, each answer that was received is recorded, no call is made twice (audit.mode $mode)",
  {
    timeout: 300_000,
  },
  async ({ mode, kills }) => {
    const random = seeded(20_261_115);
    const scene = await open({ mode });
    const { site, load } = scene;
    const lost: string[] = [];
    for (let round = 0; round < kills; round++)
      lost.push(await killAndStart(scene, random(), round));
    await load.end();
    expect(await scene.gateway.end("SIGTERM")).toBe(0);
    expect(await site.verify()).toMatchObject({ code: 0 });

    const made = (await site.journal()).map(({ call }) => call);
    expect(made.length).toBe(new Set(made).size);
    const { asked, answered } = await recorded(site);
    const received = load.of("answered");
    const unknown = load.of("unknown");
    // Nobody received anything but an answer, or that it is not known.
    expect(received.length + unknown.length).toBe(load.calls.size);
    expect(unknown).toEqual(expect.arrayContaining(lost));
    expect(received.filter((call) => !made.includes(call))).toEqual([]);
    expect(received.filter((call) => !asked.has(call) || !answered.has(call))).toEqual([]);
    // Also of what nobody received the end of: it was recorded before it was made.
    expect(made.filter((call) => !asked.has(call))).toEqual([]);
    const known = made.filter((call) => unknown.includes(call)).length;
    console.log(
      `${mode}, ${kills} kills: ${received.length} calls answered, ${unknown.length} of unknown outcome, of which ${known} had been made`,
    );
  },
);

test("a ticket and a grant stay valid after a kill, over a bare socket too", {
  timeout: 120_000,
}, async () => {
  const site = await openSite();
  const gateway = await startGateway(site);
  const ticket = await site.ticket();
  const params = { name: "count", arguments: { call: "first" } };
  const refused = await (await site.socket(ticket)).request("tools/call", params);
  expect(refused.error.data.reason).toBe("consent-required");
  await site.post("/servers/counter/grants", { tool: "count", scope: "always" });
  await gateway.end("SIGKILL");
  await startGateway(site);
  const answer = await (await site.socket(ticket)).request("tools/call", params);
  expect(answer.result.structuredContent).toMatchObject({ call: "first", made: 1 });
  expect((await site.journal()).length).toBe(1);
});
