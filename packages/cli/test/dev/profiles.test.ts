import { describe, expect, test } from "vitest";
import { NO_FAULTS } from "../../pages/dev/faults.ts";
import { habitsOf } from "../../pages/dev/host-habits.ts";
import { ANSWERED } from "../../pages/dev/traffic-tap.ts";
import { checkProfile, type HostProfile } from "../../src/dev/host-profile.ts";
import { readProfiles } from "../../src/dev/profiles.ts";

const profiles = await readProfiles();

describe("host profiles", () => {
  test("are dated, name their source, and have an id of their own", () => {
    expect(profiles.length).toBeGreaterThanOrEqual(6);
    expect(new Set(profiles.map(({ id }) => id)).size).toBe(profiles.length);
    for (const { measured, source } of profiles) {
      expect(Date.parse(measured)).toBeGreaterThan(Date.parse("2026-01-01"));
      expect(source).toMatch(/\w+\.\w+\//);
    }
  });

  test("that lack a part are refused with its name", () => {
    expect(() => checkProfile({ ...profiles[0], measured: "lately" }, "x.json")).toThrow(
      /x\.json.*measured/,
    );
    expect(() => checkProfile({ ...profiles[0], displayModes: ["wall"] }, "x.json")).toThrow(
      /displayModes/,
    );
    expect(() => checkProfile(null, "x.json")).toThrow(/"id"/);
  });
});

describe("a Host's habits", () => {
  const goose = profiles.find(({ id }) => id === "goose") as HostProfile;
  const handshake = {
    [ANSWERED]: "ui/initialize",
    id: 1,
    result: {
      hostInfo: {},
      hostCapabilities: { openLinks: {}, serverTools: {}, message: {}, sandbox: { csp: {} } },
    },
  };

  test("of a profile leave in the handshake what that Host offers, and what the Sandbox granted", () => {
    const { rewrite } = habitsOf(goose, NO_FAULTS);
    const { result } = rewrite(handshake) as { result: { hostCapabilities: object } };
    expect(Object.keys(result.hostCapabilities)).toEqual(["openLinks", "sandbox"]);
    const other = { method: "ui/notifications/tool-result", params: {} };
    expect(rewrite(other)).toBe(other);
  });

  test("answer what is not offered with an error, and nothing else", () => {
    const { refuse } = habitsOf(goose, NO_FAULTS);
    expect(refuse("tools/call")).toMatchObject({ code: -32601 });
    expect(refuse("ui/open-link")).toBeUndefined();
    expect(refuse("ui/notifications/size-changed")).toBeUndefined();
  });

  test("without a profile or fault change nothing", () => {
    const { rewrite, refuse } = habitsOf(undefined, NO_FAULTS);
    expect(rewrite(handshake)).toBe(handshake);
    expect(refuse("tools/call")).toBeUndefined();
    expect(habitsOf(undefined, { noServerTools: true }).refuse("tools/call")).toBeDefined();
  });
});
