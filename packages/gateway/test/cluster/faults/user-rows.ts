// What users and their Views notice.

import { strict as assert } from "node:assert";
import { WebSocket } from "ws";
import { TestSocket } from "../../stage.ts";
import { Load } from "./load.ts";
import { type Row, until, withSite } from "./row.ts";
import { type Site, TOKEN } from "./site.ts";
import { judge } from "./verdict.ts";

const ROUNDS = 10;
const VIEW = "ui://witness/view.html";

async function allow(site: Site, where: number): Promise<void> {
  const { status } = await site.post(where, "/servers/witness/grants", {
    tool: "count",
    scope: "always",
  });
  assert.equal(status, 204);
}

async function revoke(site: Site, where: number): Promise<void> {
  const { status } = await fetch(`${site.gateways[where]?.url}/servers/witness/grants/count`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  assert.equal(status, 204);
}

let calls = 0;
async function isAllowed(view: TestSocket): Promise<boolean> {
  const params = { name: "count", arguments: { call: `view-${++calls}` } };
  const { error } = await view.request("tools/call", params);
  assert.ok(!error || error.data.reason === "consent-required", JSON.stringify(error));
  return !error;
}

/** A View at a gateway, as its page has it. */
async function openView(site: Site, where: number): Promise<TestSocket> {
  const opened = await site.post(where, "/servers/witness/views", { resource: VIEW });
  const { ticket } = (await opened.json()) as { ticket: string };
  const address = `${site.gateways[where]?.url.replace("http", "ws")}/servers/witness/mcp`;
  const view = new TestSocket(new WebSocket(address, ["vitrine.mcp.v1", `ticket.${ticket}`]));
  await view.until(({ vitrine }) => vitrine === "welcome", 20_000);
  return view;
}

export const USER_ROWS: readonly Row[] = [
  {
    number: 14,
    title: "a user takes a permission back at one gateway: all deny it within a second",
    run: (nats) =>
      withSite(
        nats,
        async (site) => {
          const views = await Promise.all([0, 1, 2].map((where) => openView(site, where)));
          const longest: number[] = [];
          for (let round = 0; round < ROUNDS; round++) {
            await allow(site, round % 3);
            for (const view of views) await until(() => isAllowed(view), 5000);
            const before = performance.now();
            await revoke(site, (round + 1) % 3);
            await Promise.all(
              views.map((view) => until(async () => !(await isAllowed(view)), 5000)),
            );
            longest.push(performance.now() - before);
          }
          for (const view of views) view.socket.close();
          assert.ok(Math.max(...longest) < 1000, `It took ${Math.max(...longest)} ms.`);
          const none = new Load(site, { callers: 0 });
          return {
            ...(await judge(site, [none])),
            times: { "longest until all deny": Math.max(...longest) },
          };
        },
        { consent: "always" },
      ),
  },
];
