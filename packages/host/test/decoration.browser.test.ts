import { expect, test, vi } from "vitest";
import { makeServerIcon } from "../src/surface/decoration.ts";
import { createSurface } from "../src/surface/surface.ts";

const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

test.each([
  "javascript:alert(1)",
  "http://icons.example/a.png",
  "data:text/html,<script>alert(1)</script>",
  " https://icons.example/a.png",
  "//icons.example/a.png",
  "blob:https://icons.example/1",
  "",
])("a server has no icon from %j", (address) => {
  expect(makeServerIcon(address)).toEqual([]);
});

test("an icon is silent for screen readers, sends no referrer, and goes if it can't be loaded", async () => {
  const [icon] = makeServerIcon(PIXEL);
  expect([icon?.alt, icon?.referrerPolicy, icon?.getAttribute("part")]).toEqual([
    "",
    "no-referrer",
    "icon",
  ]);
  const [broken] = makeServerIcon("data:image/png,broken");
  if (broken) document.body.append(broken);
  await vi.waitFor(() => expect(broken?.isConnected).toBe(false));
});

test("a surface shows the product's name and icon, and its identity without them", async () => {
  const options = { title: "Forecast", server: "weather.example", modes: [] };
  const cardOf = (describeServer?: () => { name?: string; icon?: string } | undefined) =>
    createSurface({ ...options, describeServer }).body.parentElement as HTMLElement;
  const described = cardOf(() => ({ name: "Weather \u{1F512}\u202E", icon: PIXEL }));
  expect(described.querySelector("b")?.textContent).toBe("Weather");
  await vi.waitFor(() => expect(described.querySelectorAll("header img")).toHaveLength(1));
  for (const plain of [cardOf(), cardOf(() => undefined), cardOf(() => ({ name: "\u200b" }))]) {
    expect(plain.querySelector("b")?.textContent).toBe("weather.example");
  }
});
