import { rpcFailure } from "@vitrine/internal/official-bridge";
import { beforeAll, describe, expect, test } from "vitest";
import html from "../../examples/ported-vanilla/index.html?raw";
import ours from "../../examples/ported-vanilla/src/page.ts?script";
import official from "../../examples/ported-vanilla/src/page.ts?script&official";
import { type PortedPage, runSession, type Session } from "./ported-page.ts";

const body = /<style>.*<\/style>|<main>.*<\/main>/gs;
const markup = (html.match(body) ?? []).join("");

const capabilities = {
  openLinks: {},
  downloadFile: {},
  serverTools: {},
  logging: {},
  message: { text: {} },
  updateModelContext: { text: {}, structuredContent: {} },
};
const context = {
  theme: "dark" as const,
  displayMode: "inline" as const,
  availableDisplayModes: ["inline" as const, "fullscreen" as const],
  styles: {
    variables: { "--color-text-primary": "#eee", "--font-sans": "Inter" } as never,
    css: { fonts: "@font-face { font-family: Inter; src: local('Inter'); }" },
  },
};
const bern = { city: "Bern", hours: [{ at: "09:00", celsius: 12 }] };
const warmer = { city: "Bern", hours: [...bern.hours, { at: "10:00", celsius: 14 }] };

/** One visit: the tool runs, the user presses every button, the host changes and leaves. */
async function visit({ bridge, page, see }: PortedPage): Promise<void> {
  bridge.onmessage = async () => ({});
  bridge.onopenlink = async () => ({ isError: true });
  bridge.ondownloadfile = async () => ({});
  bridge.onupdatemodelcontext = async () => ({});
  bridge.onrequestdisplaymode = async ({ mode }) => ({ mode });
  bridge.onloggingmessage = () => {};
  const torn = new Promise((resolve) => {
    bridge.onrequestteardown = () => resolve(bridge.teardownResource({}));
  });
  let forecast = async (): Promise<object> => warmer;
  bridge.oncalltool = async () => ({ content: [], structuredContent: await forecast() });
  await see("connected to official-host");
  await bridge.sendToolInputPartial({ arguments: { city: "Be" } });
  await see("searching Be");
  await bridge.sendToolInput({ arguments: { city: "Bern" } });
  await see("asking for Bern");
  await bridge.sendToolResult({ content: [], structuredContent: bern });
  await see("loaded");

  await page.click("#refresh");
  await see("refreshed");
  forecast = async () => {
    throw rpcFailure(-32042, "gone");
  };
  await page.click("#refresh");
  await see("not refreshed: -32042");
  await page.click("#ask");
  await see("asked");
  await page.click("#source");
  await see("not opened");
  await page.click("#save");
  await see("saved");
  await page.click("#full");
  await see("now fullscreen");

  bridge.setHostContext({ ...context, theme: "light", displayMode: "fullscreen" });
  await see("shown fullscreen");
  await bridge.listTools({});
  await bridge.callTool({ name: "show-hour", arguments: { at: "10:00" } });
  await see("see 10:00");
  await bridge.sendToolResult({ content: [{ type: "text", text: "no such city" }], isError: true });
  await see("failed: no such city");
  await bridge.sendToolCancelled({ reason: "user" });
  await see("cancelled: user");
  await page.click("#close");
  await torn;
  await see("goodbye");
}

describe("a vanilla page written for the official SDK, with only its import changed", () => {
  let sessions: { ours: Session; official: Session };
  beforeAll(async () => {
    sessions = {
      official: await runSession(official, markup, { capabilities, context }, visit),
      ours: await runSession(ours, markup, { capabilities, context }, visit),
    };
  }, 30_000);

  test("is bundled with one SDK each", () => {
    expect(official).toContain("[ext-apps]");
    expect(ours).not.toContain("[ext-apps]");
  });

  test("sends the same messages to the host, in the same order", () => {
    expect(sessions.ours.traffic).toEqual(sessions.official.traffic);
    expect(sessions.ours.traffic[0]).toContain("ui/initialize");
  });

  test("shows the same text, theme, variables and fonts at every step", () => {
    expect(sessions.ours.sights).toEqual(sessions.official.sights);
  });

  test("ends up the same size", () => {
    expect(sessions.ours.lastSize).toEqual(sessions.official.lastSize);
  });
});
