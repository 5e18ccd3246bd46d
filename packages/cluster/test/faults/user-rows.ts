// Effects on users and their views.

import { strict as assert } from "node:assert";
import { during } from "./fault.ts";
import { Load } from "./load.ts";
import { type Row, withSite } from "./row.ts";
import { allow, revoked } from "./user-faults.ts";
import { judge } from "./verdict.ts";
import { openView } from "./view-socket.ts";

const ROUNDS = 10;

export const USER_ROWS: readonly Row[] = [
  {
    number: 14,
    title: "a user revokes a permission at one gateway: all deny it within a second",
    run: (nats) =>
      withSite(
        nats,
        async (site) => {
          const views = await Promise.all([0, 1, 2].map((where) => openView(site, where)));
          const longest: number[] = [];
          await allow(site, 0);
          for (let round = 0; round < ROUNDS; round++) {
            const fault = revoked(site, { where: (round + 1) % 3, views });
            await during(fault, async () => {});
            longest.push(fault.took);
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
