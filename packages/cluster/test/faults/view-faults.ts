// Faults of views.

import type { TestSocket } from "../../../gateway/test/stage.ts";
import type { Balancer } from "./balancer.ts";
import type { Fault } from "./fault.ts";
import type { Site } from "./site.ts";
import { openView } from "./view-socket.ts";

const ANSWERS = 24;
const LARGE = 900_000;

let slow = 0;

/** A view that requests much data and reads nothing. */
export function slowView(site: Site, where: number): Fault & { readonly view: TestSocket } {
  let view: TestSocket | undefined;
  return {
    name: `a View at ${site.gateways[where]?.name} does not read`,
    inject: async () => {
      view = await openView(site, where);
      view.socket.pause();
      const name = `slow-${++slow}`;
      for (let n = 0; n < ANSWERS; n++) {
        const params = { name: "count", arguments: { call: `${name}-${n}`, size: LARGE } };
        view.send({ jsonrpc: "2.0", id: n, method: "tools/call", params });
      }
    },
    heal: () => view?.socket.terminate(),
    get view() {
      if (!view) throw new Error("There is no View before it is injected.");
      return view;
    },
  };
}

/** All views lose their connections at the same time. */
export function allDropped(balancer: Balancer): Fault {
  return {
    name: "all Views lose their connections",
    inject: () => balancer.drop(),
    heal: () => {},
  };
}
