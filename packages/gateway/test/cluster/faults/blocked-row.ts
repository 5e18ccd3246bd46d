// An edge whose event loop does not turn, while a list changes and more is sent to it than NATS keeps for
// anybody: it is cut off, and finds out on its return what it has missed.

import { strict as assert } from "node:assert";
import { connect } from "@nats-io/transport-node";
import type { TestSocket } from "../../stage.ts";
import { during } from "./fault.ts";
import type { GatewayProcess } from "./gateway-child.ts";
import { blocked } from "./gateway-faults.ts";
import { Load } from "./load.ts";
import { others, ownerOf, type Row, sleep, until, withSite } from "./row.ts";
import type { Site } from "./site.ts";
import { judge, unaffected } from "./verdict.ts";
import { openView } from "./view-socket.ts";

const BLOCKED = 14_000;
/** More than a server keeps for a client, 64 MiB. */
const JUNK = 160;
const mebi = 2 ** 20;
const PREFIX = "row-12";

/** Says much under the name of the program's news; nobody is fooled, all have to be sent it. */
async function shout(urls: string[]): Promise<void> {
  const subject = `${PREFIX}.event.ev.${Buffer.from("witness").toString("base64url")}`;
  const nc = await connect({ servers: urls });
  const junk = new Uint8Array(mebi / 2);
  for (let n = 0; n < JUNK * 2; n++) {
    nc.publish(subject, junk);
    // So that all others can read it meanwhile.
    if (n % 8 === 7) await nc.flush();
    await sleep(5);
  }
  await nc.close();
}

let editions = 0;
/** The program brings out another edition of its tools. */
async function change(site: Site, where: number): Promise<void> {
  const edition = ++editions;
  const { outcome } = await site.call(where, "witness", `edition-${edition}`, { edition });
  // On a machine with too much to do even the owner may lose its lease.
  if (outcome !== "answered") await change(site, where);
}

async function editionAt(site: Site, where: number): Promise<string> {
  const { result } = await site.request(where, "witness", "tools/list", {});
  return result?.tools.map(({ name }: { name: string }) => name).join() ?? "none";
}

const isNews = ({ method }: { method?: string }): boolean =>
  method === "notifications/tools/list_changed";

export const BLOCKED_ROW: Row = {
  number: 12,
  title: "an edge has its event loop blocked for 14 s: on return its Views see the right lists",
  run: (nats) =>
    withSite(
      nats,
      async (site) => {
        const owner = await ownerOf(site);
        const [edge = 0, other = 0] = others(site, owner);
        const gateway = site.gateways[edge] as GatewayProcess;
        // At each: where nobody listens a list is kept for as long as its server says.
        const places = [edge, other, owner];
        const views = await Promise.all(places.map((where) => openView(site, where)));
        const [view, fine] = views as [TestSocket, TestSocket];
        // All hear of a change before anything is wrong, and the lists are kept at each gateway.
        await until(async () => {
          await change(site, owner);
          await sleep(300);
          return views.every(({ received }) => received.some(isNews));
        });
        for (const where of places) await editionAt(site, where);
        const load = new Load(site, { callers: 1, gateways: others(site, edge) });
        const seen = view.received.filter(isNews).length;
        const fault = blocked(gateway, BLOCKED);
        const began = performance.now();
        await during(fault, async () => {
          const before = fine.received.filter(isNews).length;
          await sleep(500);
          const shouting = shout(nats.urls);
          while (performance.now() - began < BLOCKED - 3000) {
            await change(site, owner);
            await sleep(500);
          }
          await shouting;
          assert.ok(fine.received.filter(isNews).length > before, "The others hear of changes.");
        });
        const woken = performance.now();
        const wanted = `count,edition-${editions}`;
        await until(async () => (await editionAt(site, edge)) === wanted);
        const right = performance.now() - woken;
        await until(() => view.received.filter(isNews).length > seen);
        const told = performance.now() - woken;
        for (const where of [owner, other]) assert.equal(await editionAt(site, where), wanted);
        await until(async () => {
          const { outcome } = await site.call(edge, "witness", `again-${Math.random()}`);
          return outcome === "answered";
        });
        const back = performance.now() - woken;
        assert.match(gateway.output(), /is gone\./, "NATS cut it off");
        for (const { socket } of views) socket.close();
        await load.end();
        const notes = unaffected(site, load, others(site, edge));
        return {
          ...(await judge(site, [load])),
          times: {
            "its list is right after it woke": right,
            "its View is told after it woke": told,
            "calls the program after it woke": back,
          },
          notes,
        };
      },
      { prefix: PREFIX },
    ),
};
