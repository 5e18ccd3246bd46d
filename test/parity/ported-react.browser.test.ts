import { beforeAll, describe, expect, test } from "vitest";
import ours from "../../examples/ported-react/src/page.tsx?script";
import official from "../../examples/ported-react/src/page.tsx?script&official";
import { type PortedPage, runSession, type Session } from "./ported-page.ts";

const capabilities = { openLinks: {}, serverTools: {}, message: {}, updateModelContext: {} };
const context = {
  theme: "dark" as const,
  styles: {
    variables: { "--color-background-primary": "black" } as never,
    css: { fonts: "@font-face { font-family: Inter; src: local('Inter'); }" },
  },
};
const milk = { id: "t1", title: "milk", done: false };
const bread = { id: "t2", title: "bread", done: true };

/** One visit: the tool runs, the user toggles and asks, the host changes its theme and leaves. */
async function visit({ bridge, page, see }: PortedPage): Promise<void> {
  bridge.onmessage = async () => ({});
  bridge.onopenlink = async () => ({ isError: true });
  bridge.onupdatemodelcontext = async () => ({});
  bridge.oncalltool = async ({ arguments: args }) =>
    args?.id === milk.id
      ? { content: [], structuredContent: { tasks: [{ ...milk, done: true }, bread] } }
      : { content: [], isError: true };
  await see("no list", "dark");
  await bridge.sendToolInput({ arguments: { list: "groceries" } });
  await see("groceries");
  await bridge.sendToolResult({ content: [], structuredContent: { tasks: [milk, bread] } });
  await see("loaded");
  await page.click("#t1");
  await see("toggled milk");
  await page.click("#t2");
  await see("could not toggle bread");
  await page.click("#ask");
  await see("asked");
  await page.click("#help");
  await see("help was refused");
  bridge.setHostContext({ ...context, theme: "light" });
  await see("help was refused", "light");
  await bridge.sendToolCancelled({ reason: "user" });
  await see("cancelled");
  await bridge.teardownResource({});
  await see("closing");
}

describe("a React page written for the official SDK, with only its import changed", () => {
  let sessions: { ours: Session; official: Session };
  beforeAll(async () => {
    sessions = {
      official: await runSession(official, "", { capabilities, context }, visit),
      ours: await runSession(ours, "", { capabilities, context }, visit),
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
