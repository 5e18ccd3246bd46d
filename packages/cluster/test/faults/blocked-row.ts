// An edge with a blocked event loop, while a list changes and more data is sent to it than NATS buffers for a
// client: NATS disconnects it, and it detects afterwards what it missed.

import { strict as assert } from "node:assert";
import { connect } from "@nats-io/transport-node";
import type { TestSocket } from "../../../gateway/test/stage.ts";
import { during } from "./fault.ts";
import type { GatewayProcess } from "./gateway-child.ts";
import { blocked } from "./gateway-faults.ts";
import { Load } from "./load.ts";
import { others, ownerOf, type Row, sleep, until, withSite } from "./row.ts";
import type { Site } from "./site.ts";
import { judge, unaffected } from "./verdict.ts";
import { openView } from "./view-socket.ts";

const BLOCKED = 14_000;
/** More than the 64 MiB that a server buffers for a client. */
const JUNK = 160;
const mebi = 2 ** 20;
const PREFIX = "row-12";

/** Floods the subject of the program's changes: all processes reject it, but have to receive it. */
async function flood(urls: string[]): Promise<void> {
  const subject = `${PREFIX}.event.ev.${Buffer.from("recorder").toString("base64url")}`;
  const nc = await connect({ servers: urls });
  const junk = new Uint8Array(mebi / 2);
  for (let n = 0; n < JUNK * 2; n++) {
    nc.publish(subject, junk);
    // The other processes get time to read.
    if (n % 8 === 7) await nc.flush();
    await sleep(5);
  }
  await nc.close();
}

let editions = 0;
/** The program changes its list of tools. */
async function change(site: Site, where: number): Promise<void> {
  const edition = ++editions;
  const { outcome } = await site.call(where, "recorder", `edition-${edition}`, { edition });
  // On a busy machine even the owner may lose its lease.
  if (outcome !== "answered") await change(site, where);
}

async function editionAt(site: Site, where: number): Promise<string> {
  const { result } = await site.request(where, "recorder", "tools/list", {});
  return result?.tools.map(({ name }: { name: string }) => name).join() ?? "none";
}

const isChange = ({ method }: { method?: string }): boolean =>
  method === "notifications/tools/list_changed";

export const BLOCKED_ROW: Row = {
  number: 12,
  title: "the event loop of an edge is blocked for 14 s: afterwards its views see the right lists",
  run: (nats) =>
    withSite(
      nats,
      async (site) => {
        const owner = await ownerOf(site);
        const [edge = 0, other = 0] = others(site, owner);
        const gateway = site.gateways[edge] as GatewayProcess;
        // A view at each gateway: without a listener a list is cached for the server's TTL.
        const places = [edge, other, owner];
        const views = await Promise.all(places.map((where) => openView(site, where)));
        const [view, fine] = views as [TestSocket, TestSocket];
        // All views are notified of a change before the fault, and each gateway caches the lists.
        await until(async () => {
          await change(site, owner);
          await sleep(300);
          return views.every(({ received }) => received.some(isChange));
        });
        for (const where of places) await editionAt(site, where);
        const load = new Load(site, { callers: 1, gateways: others(site, edge) });
        const seen = view.received.filter(isChange).length;
        const fault = blocked(gateway, BLOCKED);
        const began = performance.now();
        await during(fault, async () => {
          const before = fine.received.filter(isChange).length;
          await sleep(500);
          const flooding = flood(nats.urls);
          while (performance.now() - began < BLOCKED - 3000) {
            await change(site, owner);
            await sleep(500);
          }
          await flooding;
          assert.ok(
            fine.received.filter(isChange).length > before,
            "The other views are notified of changes.",
          );
        });
        const woken = performance.now();
        const wanted = `count,edition-${editions}`;
        await until(async () => (await editionAt(site, edge)) === wanted);
        const right = performance.now() - woken;
        await until(() => view.received.filter(isChange).length > seen);
        const notified = performance.now() - woken;
        for (const where of [owner, other]) assert.equal(await editionAt(site, where), wanted);
        await until(async () => {
          const { outcome } = await site.call(edge, "recorder", `again-${Math.random()}`);
          return outcome === "answered";
        });
        const back = performance.now() - woken;
        assert.match(
          gateway.output(),
          /The connection to NATS at \S+ is lost\./,
          "NATS disconnected it",
        );
        for (const { socket } of views) socket.close();
        await load.end();
        const notes = unaffected(site, load, others(site, edge));
        return {
          ...(await judge(site, [load])),
          times: {
            "its list is right after it woke": right,
            "its view is notified after it woke": notified,
            "calls the program after it woke": back,
          },
          notes,
        };
      },
      { prefix: PREFIX },
    ),
};
