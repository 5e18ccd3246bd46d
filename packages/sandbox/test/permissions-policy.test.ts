import { expect, test } from "vitest";
import {
  buildPermissions,
  type PermissionName,
  permissionsHeader,
} from "../src/permissions-policy.ts";

const all: PermissionName[] = ["camera", "microphone", "geolocation", "clipboardWrite"];
const wish = { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} };

/** The header as a map from feature to allowlist. */
function features(header: string): Map<string, string> {
  return new Map(header.split(", ").map((pair) => pair.split("=") as [string, string]));
}

test("SBX-09: what was asked for and granted stands in `allow`, in the header and in the grant", () => {
  const policy = buildPermissions(wish, { permissions: all });
  expect(policy.allow).toBe("camera; microphone; geolocation; clipboard-write");
  expect(policy.grant).toEqual(wish);
  const header = features(policy.header);
  const open = [...header].filter(([, list]) => list !== "()");
  expect(open).toEqual([
    ["camera", "(self)"],
    ["clipboard-write", "(self)"],
    ["geolocation", "(self)"],
    ["microphone", "(self)"],
  ]);
});

test("nothing is granted that was not asked for, or that the operator does not give", () => {
  expect(buildPermissions({}, { permissions: all })).toMatchObject({ allow: "", grant: {} });
  const refused = buildPermissions(wish);
  expect(refused).toMatchObject({ allow: "", grant: {} });
  expect(refused.rejected.map(({ code }) => code)).toEqual(Array(4).fill("not-granted"));
  const one = buildPermissions(wish, { permissions: ["geolocation"] });
  expect(one).toMatchObject({ allow: "geolocation", grant: { geolocation: {} } });
});

test("features that nobody can ask for are closed by name, those of the local network included", () => {
  const header = features(buildPermissions(wish, { permissions: all }).header);
  for (const name of [
    "usb",
    "serial",
    "hid",
    "payment",
    "display-capture",
    "clipboard-read",
    "identity-credentials-get",
    "local-network-access",
    "fullscreen",
    "autoplay",
    "storage-access",
    "cross-origin-isolated",
  ]) {
    expect(header.get(name)).toBe("()");
  }
  expect(header.size).toBeGreaterThan(70);
});

test.each([
  ["a list", ["camera"]],
  ["a string", "camera"],
  ["null", null],
  ["a function", () => ({ camera: {} })],
])("permissions as %s are reported and grant nothing", (_what, declared) => {
  const { grant, rejected } = buildPermissions(declared, { permissions: all });
  expect(grant).toEqual({});
  expect(rejected).toMatchObject([{ list: "permissions", code: "not-an-object" }]);
});

test("a permission has to be an object, as the specification writes it (E107)", () => {
  for (const value of [true, "self", 1, null, ["*"]]) {
    const { grant, rejected } = buildPermissions({ camera: value }, { permissions: all });
    expect(grant).toEqual({});
    expect(rejected).toMatchObject([{ list: "permissions.camera", code: "not-an-object" }]);
  }
});

test("unknown features are reported and never reach a header or attribute (E107)", () => {
  const hostile = { usb: {}, "camera *; usb": {}, "x=(*)": {}, CAMERA: {}, constructor: {} };
  const { allow, header, rejected } = buildPermissions(hostile, { permissions: all });
  expect(allow).toBe("");
  expect(header).not.toContain("*");
  expect(header).not.toContain("self");
  expect(rejected.map(({ code }) => code)).toEqual(Array(5).fill("unknown-permission"));
});

test("only own data properties are wishes", () => {
  const getter = {
    get camera(): object {
      return {};
    },
  };
  for (const declared of [Object.create(wish), getter, new Proxy({}, { get: () => ({}) })]) {
    expect(buildPermissions(declared, { permissions: all }).grant).toEqual({});
  }
});

test("a View with an opaque origin gets no device, and its author gets the reason", () => {
  const { grant, rejected } = buildPermissions(wish, { permissions: all, opaque: true });
  expect(grant).toEqual({});
  expect(rejected.map(({ code }) => code)).toEqual(Array(4).fill("needs-own-origin"));
});

test("the proxy passes granted features on to the View's origin alone", () => {
  const header = features(permissionsHeader(["camera"], 'self "https://x.views.net"'));
  expect(header.get("camera")).toBe('(self "https://x.views.net")');
  expect(header.get("microphone")).toBe("()");
});
