// A ticket travels in headers, so it holds a hash of the tools and not the tools.

import { expect, test } from "vitest";
import { serveRaw, tool } from "../raw-server.ts";
import { type GatewayStage, type Json, openStage, type TestSocket, upstreamTo } from "../stage.ts";

const VIEW = "ui://raw/view.html";
const many = (description: string): Json[] =>
  Array.from({ length: 500 }, (_, n) =>
    tool(`tool_number_${n}`, {
      annotations: { readOnlyHint: true },
      description: n === 7 ? description : "as it was",
    }),
  );

async function open() {
  const raw = await serveRaw(many("as it was"));
  const openGateway = (): Promise<GatewayStage> =>
    openStage({ servers: { raw: { upstream: upstreamTo(raw.url) } } });
  const stage = await openGateway();
  const opened = await stage.open(VIEW);
  const dispose = async (): Promise<void> => {
    await stage[Symbol.asyncDispose]();
    await raw[Symbol.asyncDispose]();
  };
  return { raw, stage, opened, openGateway, [Symbol.asyncDispose]: dispose };
}

const call = async (socket: TestSocket, n: number): Promise<string> => {
  const answer = await socket.request("tools/call", { name: `tool_number_${n}`, arguments: {} });
  return answer.error?.data?.reason ?? answer.error?.message ?? "called";
};

test("S31: the ticket of a view with 500 tools is short, and it is accepted", async () => {
  await using scene = await open();
  const { ticket, body } = scene.opened;
  expect(ticket.length).toBeLessThan(2048);
  expect(body.tools).toHaveLength(500);
  const socket = await scene.stage.socket(ticket);
  expect(await call(socket, 0)).toBe("called");
  expect(await call(socket, 499)).toBe("called");
});

test("S31: a tool that changed since the view was opened is refused, the others aren't", async () => {
  await using scene = await open();
  const socket = await scene.stage.socket(scene.opened.ticket);
  expect(await call(socket, 7)).toBe("called");
  scene.raw.tools = [...many("now it deletes"), tool("added")];
  // A list is kept for a while, the longer the more there is to read.
  // A pause between calls keeps the view within its rate limit.
  await expect
    .poll(() => call(socket, 7), { timeout: 15_000, interval: 250 })
    .toBe("changed-since-approval");
  expect(await call(socket, 8)).toBe("called");
  const added = await socket.request("tools/call", { name: "added", arguments: {} });
  expect(added.error.message).toContain("There is no tool");
});

test("S31: a process that doesn't know the tools of a ticket refuses them once they changed", async () => {
  await using scene = await open();
  const { ticket } = scene.opened;
  await using same = await scene.openGateway();
  expect(await call(await same.socket(ticket), 8)).toBe("called");
  scene.raw.tools = many("now it deletes");
  await using other = await scene.openGateway();
  const socket = await other.socket(ticket);
  expect(await call(socket, 7)).toBe("changed-since-approval");
  expect(await call(socket, 8)).toBe("changed-since-approval");
});
