import { describe, expect, test } from "vitest";
import { METHODS } from "../../src/apps/methods.ts";
import { decideMethod, type MethodUse, type Session } from "../../src/apps/policy.ts";

const everything: Session = {
  initialized: true,
  hostCapabilities: {
    openLinks: {},
    downloadFile: {},
    serverTools: { listChanged: true },
    serverResources: { listChanged: true },
    logging: {},
    message: {},
    updateModelContext: {},
    sampling: { tools: {} },
  },
  appCapabilities: { tools: { listChanged: true } },
};

function verdict(use: Partial<MethodUse> & { method: string }, session: Session): string {
  const decision = decideMethod({ from: "view", kind: "request", ...use }, session);
  return decision.allow ? "allow" : decision.code;
}

const between = METHODS.filter((rule) => rule.from !== "sandbox" && rule.to !== "sandbox") as (Omit<
  (typeof METHODS)[number],
  "from"
> & { from: "view" | "host" })[];

describe("a method of the table", () => {
  test.each(between)("may travel once everything is declared: $from $method", (rule) => {
    expect(verdict(rule, everything)).toBe("allow");
  });

  test.each(between.filter((rule) => rule.gate))(
    "needs its capability: $from $method, $gate",
    ({ from, method, kind }) => {
      expect(verdict({ from, method, kind }, { initialized: true })).toBe("capability-missing");
    },
  );

  test.each(between.filter((rule) => !rule.gate))(
    "without a gate needs none: $from $method",
    ({ from, method, kind }) => {
      expect(verdict({ from, method, kind }, { initialized: true })).toBe("allow");
    },
  );

  test.each(between)("must be of its kind: $from $method", ({ from, method, kind }) => {
    const other = kind === "request" ? "notification" : "request";
    expect(verdict({ from, method, kind: other }, everything)).toBe("wrong-kind");
  });
});

describe("before the handshake is over", () => {
  const early = ["ui/initialize", "ui/notifications/initialized", "ping"];
  const session = { ...everything, initialized: false };

  test.each(between.filter((rule) => rule.from === "view"))(
    "a View may only shake hands and ping: $method",
    ({ method, kind }) => {
      const expected = early.includes(method) ? "allow" : "not-initialized";
      expect(verdict({ method, kind }, session)).toBe(expected);
    },
  );

  // HST-42
  test.each(between.filter((rule) => rule.from === "host"))(
    "a Host may say nothing: $method",
    ({ method, kind }) => {
      expect(verdict({ from: "host", method, kind }, session)).toBe("not-initialized");
    },
  );

  test("an unknown method is unknown, not early", () => {
    expect(verdict({ method: "ui/log" }, session)).toBe("unknown-method");
  });
});

describe("a method outside the table", () => {
  // SBX-12
  test.each(["proxy-ready", "resource-ready", "anything", ""])(
    "is never allowed between View and Host if it is sandbox-%s",
    (name) => {
      const method = `ui/notifications/sandbox-${name}`;
      for (const from of ["view", "host"] as const) {
        const use = { from, method, kind: "notification" } as const;
        expect(verdict(use, everything)).toBe("sandbox-method");
      }
    },
  );

  test.each([
    "__proto__",
    "constructor",
    "toString",
    "",
    "tools/call ",
    "Tools/Call",
    "initialize",
    "ui/log",
    "elicitation/create",
    "roots/list",
  ])("is unknown: %j", (method) => {
    expect(verdict({ method }, everything)).toBe("unknown-method");
  });

  test("may be in the table for the other side only", () => {
    expect(verdict({ method: "ui/resource-teardown" }, everything)).toBe("unknown-method");
    expect(verdict({ from: "host", method: "ui/open-link" }, everything)).toBe("unknown-method");
  });

  test("counts if its receiver declared it as experimental", () => {
    const session: Session = {
      initialized: true,
      hostCapabilities: { experimental: { "vitrine/state": {}, "ui/new": {} } },
      appCapabilities: { experimental: { "vendor/poke": {} } },
    };
    const state = { method: "vitrine/state", kind: "notification" } as const;
    expect(verdict(state, session)).toBe("allow");
    expect(verdict(state, { ...session, initialized: false })).toBe("not-initialized");
    expect(verdict({ ...state, from: "host" }, session)).toBe("unknown-method");
    expect(verdict({ from: "host", method: "vendor/poke" }, session)).toBe("allow");
    expect(verdict({ method: "vendor/poke" }, session)).toBe("unknown-method");
    expect(verdict({ method: "ui/new" }, session)).toBe("unknown-method");
    expect(verdict({ method: "toString" }, session)).toBe("unknown-method");
  });
});

describe("a capability", () => {
  test.each<[string, unknown, string]>([
    ["an empty object", {}, "allow"],
    ["true", true, "capability-missing"],
    ["false", false, "capability-missing"],
    ["null", null, "capability-missing"],
    ["undefined", undefined, "capability-missing"],
    ["a string", "yes", "capability-missing"],
  ])("that is %s: %j", (_, openLinks, expected) => {
    const session = { initialized: true, hostCapabilities: { openLinks } } as Session;
    expect(verdict({ method: "ui/open-link" }, session)).toBe(expected);
  });

  test.each<[unknown, string]>([
    [{ listChanged: true }, "allow"],
    [{ listChanged: false }, "capability-missing"],
    [{}, "capability-missing"],
  ])("for changed lists must be true: %j", (tools, expected) => {
    const session = { initialized: true, appCapabilities: { tools } } as Session;
    const use = { method: "notifications/tools/list_changed", kind: "notification" } as const;
    expect(verdict(use, session)).toBe(expected);
  });

  test("is not found on a prototype", () => {
    const inherited = Object.create({ openLinks: {} });
    const session = { initialized: true, hostCapabilities: inherited };
    expect(verdict({ method: "ui/open-link" }, session)).toBe("capability-missing");
  });

  test.each<[unknown, Session["hostCapabilities"], string]>([
    [{ messages: [] }, { sampling: {} }, "allow"],
    [{ tools: [] }, { sampling: {} }, "capability-missing"],
    [{ toolChoice: {} }, { sampling: {} }, "capability-missing"],
    [{ tools: [] }, { sampling: { tools: {} } }, "allow"],
    [{ tools: undefined }, { sampling: {} }, "allow"],
    [null, { sampling: {} }, "allow"],
    [{ tools: [] }, {}, "capability-missing"],
  ])(
    "for tools in sampling is asked for by params %j under %j",
    (params, capabilities, expected) => {
      const session = { initialized: true, hostCapabilities: capabilities ?? {} };
      expect(verdict({ method: "sampling/createMessage", params }, session)).toBe(expected);
    },
  );
});

test.each<[Partial<MethodUse> & { method: string }, Session, string]>([
  [
    { method: "ui/open-link" },
    { initialized: true },
    '"ui/open-link" needs hostCapabilities.openLinks; declare it in the handshake.',
  ],
  [
    { method: "tools/call" },
    { ...everything, initialized: false },
    '"tools/call" came too early; wait for ui/notifications/initialized.',
  ],
  [
    { method: "ping", kind: "notification" },
    everything,
    '"ping" is a request; send it with an id.',
  ],
  [{ method: "nope" }, everything, '"nope" is not a method a view may send.'],
])("the reason for %j is a sentence with a remedy", (use, session, reason) => {
  const decision = decideMethod({ from: "view", kind: "request", ...use }, session);
  expect(decision).toMatchObject({ allow: false, reason });
});
