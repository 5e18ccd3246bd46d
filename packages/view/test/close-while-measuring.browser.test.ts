import { ScriptedHost } from "@vitrine/internal/scripted-host";
import { App } from "@vitrine/view";
import { afterEach, beforeEach, expect, test } from "vitest";

// A View that was closed within a frame of a change left a measure behind, which then reported to
// nobody: an unhandled rejection in every React View that unmounted while its content grew.

const rejections: unknown[] = [];
const note = (event: PromiseRejectionEvent): void => {
  event.preventDefault();
  rejections.push(event.reason);
};
const frame = (): Promise<unknown> => new Promise(requestAnimationFrame);

beforeEach(() => addEventListener("unhandledrejection", note));
afterEach(() => {
  removeEventListener("unhandledrejection", note);
  rejections.length = 0;
  document.body.replaceChildren();
});

test("closing within a frame of a change reports nothing and rejects nothing", async () => {
  const host = new ScriptedHost();
  const app = new App({ name: "test", version: "1" });
  await app.connect(host.view);
  for (let i = 0; i < 4; i++) await frame();
  const before = host.all("ui/notifications/size-changed").length;
  const child = document.createElement("div");
  child.style.height = "300px";
  document.body.append(child);
  await Promise.resolve();
  await app.close();
  for (let i = 0; i < 4; i++) await frame();
  expect(host.all("ui/notifications/size-changed")).toHaveLength(before);
  expect(rejections).toEqual([]);
});

test("closing between the handshake and its continuation leaves no observer behind", async () => {
  for (let turns = 1; turns < 14; turns++) {
    const host = new ScriptedHost();
    const app = new App({ name: "test", version: "1" });
    const connecting = app.connect(host.view).catch(() => {});
    for (let i = 0; i < turns; i++) await Promise.resolve();
    await app.close();
    await connecting;
    document.body.append(document.createElement("p"), `${turns}`);
    await frame();
    await frame();
    expect(rejections, `after ${turns} turns`).toEqual([]);
  }
});
