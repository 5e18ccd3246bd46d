import { AppBridge as Official1 } from "ext-apps-v1/app-bridge";
import { AppBridge as Official2 } from "ext-apps-v2/app-bridge";
import { expect, test, vi } from "vitest";
import { AppBridge } from "../../src/bridge/bridge.ts";
import { HANDLERS } from "../../src/bridge/bridge-names.ts";

const info = { name: "h", version: "1" };

// Ways to go round the handlers, or to look behind the class; `peer` is ours.
const NOT_OURS = [
  "assertCapabilityForMethod",
  "assertNotificationCapability",
  "assertRequestHandlerCapability",
  "assertTaskCapability",
  "assertTaskHandlerCapability",
  "buildContext",
  "getEventHandler",
  "replaceRequestHandler",
  "setEventHandler",
  "setNotificationHandler",
  "setRequestHandler",
  "removeNotificationHandler",
  "removeRequestHandler",
  "warnIfRequestHandlerReplaced",
  "eventSchemas",
  "fallbackNotificationHandler",
  "fallbackRequestHandler",
  // `onDiagnostic` reports more.
  "onerror",
];

test.each([
  ["2.0.4", Official2],
  ["1.7.5", Official1 as unknown as typeof Official2],
])("the bridge has every public name of the official one, %s", (_, Official) => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const official = new Official(null, info, {});
  const names = new Set([
    ...Object.getOwnPropertyNames(Official.prototype),
    ...Object.getOwnPropertyNames(official),
  ]);
  const ours = new AppBridge(null, info);
  // A handler need not be set to be one.
  const handlers: string[] = ["onclose", ...HANDLERS.values()];
  const missing = [...names].filter(
    (name) =>
      !name.startsWith("_") &&
      !NOT_OURS.includes(name) &&
      !(name in ours || handlers.includes(name)),
  );
  expect(missing).toEqual([]);
  expect([...names].filter((name) => name.startsWith("on")).length).toBeGreaterThan(15);
  vi.restoreAllMocks();
});
