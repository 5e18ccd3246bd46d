// Changes of permissions by users.

import { strict as assert } from "node:assert";
import type { TestSocket } from "../../../gateway/test/stage.ts";
import type { Fault } from "./fault.ts";
import { until } from "./row.ts";
import { type Site, TOKEN } from "./site.ts";
import { callView } from "./view-socket.ts";

/** The user allows a server's tool to Views, at one of the gateways. */
export async function allow(site: Site, where: number, server = "recorder"): Promise<void> {
  const grant = { tool: "count", scope: "always" };
  const { status } = await site.post(where, `/servers/${server}/grants`, grant);
  assert.equal(status, 204);
}

/** The user revokes it. */
async function revoke(site: Site, where: number, server = "recorder"): Promise<void> {
  const address = `${site.gateways[where]?.url}/servers/${server}/grants/count`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const { status } = await fetch(address, { method: "DELETE", headers });
  assert.equal(status, 204);
}

/** Revokes a permission at one gateway and grants it again at another; these views observe the denial. */
export function revoked(
  site: Site,
  { where, views }: { where: number; views: readonly TestSocket[] },
): Fault & { readonly took: number } {
  let took = Number.NaN;
  return {
    name: `a user revokes a permission at ${site.gateways[where]?.name}`,
    inject: async () => {
      for (const view of views) await until(() => isAllowed(view));
      const before = performance.now();
      await revoke(site, where);
      await Promise.all(views.map((view) => until(async () => !(await isAllowed(view)))));
      took = performance.now() - before;
    },
    heal: () => allow(site, (where + 1) % site.gateways.length),
    /** Milliseconds until all had denied it. */
    get took() {
      return took;
    },
  };
}

let calls = 0;
async function isAllowed(view: TestSocket): Promise<boolean> {
  const { error } = await callView(view, { call: `view-${++calls}` });
  assert.ok(!error || error.data.reason === "consent-required", JSON.stringify(error));
  return !error;
}
