// A View as its page has it, on the bare wire.

import { WebSocket } from "ws";
import { type Json, TestSocket } from "../../../gateway/test/stage.ts";
import type { Site } from "./site.ts";

const VIEW = "ui://recorder/view.html";

/** Opens a View of the program at a gateway. */
export async function openView(site: Site, where: number): Promise<TestSocket> {
  const opened = await site.post(where, "/servers/recorder/views", { resource: VIEW });
  const { ticket } = (await opened.json()) as { ticket: string };
  const address = `${site.gateways[where]?.url.replace("http", "ws")}/servers/recorder/mcp`;
  const view = new TestSocket(new WebSocket(address, ["vitrine.mcp.v1", `ticket.${ticket}`]));
  view.socket.on("error", () => {});
  await view.until(({ vitrine }) => vitrine === "welcome", 20_000);
  return view;
}

let calls = 0;
/** Calls the program's tool as a View, with the patience of a machine that has much to do. */
export function callView(view: TestSocket, given: { call: string }): Promise<Json> {
  const id = `v${++calls}`;
  const params = { name: "count", arguments: given };
  view.send({ jsonrpc: "2.0", id, method: "tools/call", params });
  return view.until((message) => message.id === id, 40_000);
}

/** One of the figures that a gateway has for its operator. */
export async function figureOf(site: Site, where: number, name: string): Promise<number> {
  const metrics = await (await fetch(`${site.gateways[where]?.operator}/metrics`)).text();
  const found = new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, "m").exec(metrics)?.[1];
  if (found === undefined) throw new Error(`The gateway has no figure ${name}.`);
  return Number(found);
}
