import { linkedChannels, Peer } from "@vitrine/protocol";
import type {
  CallToolResult,
  HostNotifications,
  HostRequests,
  McpUiOpenLinkResult,
  ViewNotifications,
  ViewRequests,
} from "@vitrine/protocol/apps";
import { expect, expectTypeOf, test } from "vitest";

interface ViewTraffic {
  requests: ViewRequests;
  notifications: ViewNotifications;
}
interface HostTraffic {
  requests: HostRequests;
  notifications: HostNotifications;
}

test("a peer with tables types what it sends and what it receives", async () => {
  const [left, right] = linkedChannels();
  const view = new Peer<ViewTraffic, HostTraffic>();
  const host = new Peer<HostTraffic, ViewTraffic>();
  host.handle("ui/open-link", ({ url }) => {
    expectTypeOf(url).toBeString();
    return { isError: url.startsWith("javascript:") };
  });
  view.on("ui/notifications/tool-result", (result) => {
    expectTypeOf(result).toEqualTypeOf<CallToolResult>();
  });
  view.connect(left);
  host.connect(right);
  const opened = await view.request("ui/open-link", { url: "https://example.com/" });
  expectTypeOf(opened).toEqualTypeOf<McpUiOpenLinkResult>();
  expect(opened).toEqual({ isError: false });
});

test("a method that no table knows stays possible, and is unknown", async () => {
  const [left, right] = linkedChannels();
  const view = new Peer<ViewTraffic, HostTraffic>();
  const host = new Peer();
  host.handle("vendor/x", (params) => params);
  view.connect(left);
  host.connect(right);
  const answer = await view.request("vendor/x", { any: 1 });
  expectTypeOf(answer).toBeUnknown();
  expect(answer).toEqual({ any: 1 });
});

test("a peer without tables takes anything", () => {
  const ask = (peer: Peer) => peer.request("m", 7);
  expectTypeOf(ask).returns.toEqualTypeOf<Promise<unknown>>();
});
