import { openGatewayUpstream } from "@vitrine/host/gateway";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { expect, test } from "vitest";
import { openStage } from "../stage.ts";
import { openSite, startGateway, TOKEN, VIEW } from "./gateway-process.ts";

test("a View whose ticket the next gateway doesn't accept gets a new one and continues", {
  timeout: 120_000,
}, async () => {
  // In memory: the keys that tickets are signed with end with the process.
  const site = await openSite({ config: { engine: { driver: "memory" } } });
  let gateway = await startGateway(site);
  let tokens = 0;
  const upstream = await openGatewayUpstream({
    gateway: site.url,
    server: "counter",
    resource: VIEW,
    token: () => {
      tokens += 1;
      return TOKEN;
    },
  });
  const look = (call: string) =>
    upstream.request("tools/call", { name: "look", arguments: { call } });
  await look("before");
  expect(tokens).toBe(1);
  await gateway.end("SIGKILL");
  gateway = await startGateway(site);
  // Without a word of the gateway about the ticket it would come with the same one for ever.
  expect(await look("after")).toMatchObject({ structuredContent: { call: "after" } });
  expect(tokens).toBe(2);
  upstream.close();
  await gateway.end("SIGTERM");
});

test("clients beyond the accept rate wait and aren't rejected", async () => {
  await using stage = await openStage({
    limits: { acceptsPerSecond: 100, traffic: { ticketSockets: 300, userSockets: 300 } },
  });
  const { ticket } = await stage.open(STATION_VIEW);
  const began = performance.now();
  const all = Array.from({ length: 220 }, () => stage.socket(ticket));
  const sockets = await Promise.all(all);
  const time = performance.now() - began;
  expect(stage.gateway.views).toBe(220);
  // A hundred at once, the others at their pace.
  expect(time).toBeGreaterThan(1100);
  expect(time).toBeLessThan(15_000);
  for (const { socket } of sockets) socket.terminate();
});
