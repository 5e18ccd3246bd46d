import { describe, expect, expectTypeOf, test } from "vitest";
import type {
  CallToolResult,
  EmptyResult,
  HostNotifications,
  HostRequests,
  McpUiInitializeResult,
  ViewNotifications,
  ViewRequests,
} from "../../src/apps/index.ts";
import { findMethod, METHODS, type MethodRule } from "../../src/apps/methods.ts";

// The catalogue of the wire, written out once more: a changed row must be changed here as well.
const catalogue = `
view → host request ui/initialize stable
view → host notification ui/notifications/initialized stable
view → host request ui/open-link stable hostCapabilities.openLinks
view → host request ui/message stable hostCapabilities.message
view → host request ui/update-model-context stable hostCapabilities.updateModelContext
view → host request ui/request-display-mode stable
view → host request ui/download-file draft hostCapabilities.downloadFile
view → host notification ui/notifications/size-changed stable
view → host notification ui/notifications/request-teardown draft
view → host request tools/call stable hostCapabilities.serverTools
view → host request tools/list draft hostCapabilities.serverTools
view → host request resources/read stable hostCapabilities.serverResources
view → host request resources/list sdk hostCapabilities.serverResources
view → host request resources/templates/list sdk hostCapabilities.serverResources
view → host request prompts/list sdk
view → host request sampling/createMessage draft hostCapabilities.sampling
view → host notification notifications/message stable hostCapabilities.logging
view → host notification notifications/tools/list_changed draft appCapabilities.tools.listChanged
view → host notification notifications/progress sdk
view → host notification notifications/cancelled sdk
view → host request ping stable
host → view notification ui/notifications/tool-input-partial stable
host → view notification ui/notifications/tool-input stable
host → view notification ui/notifications/tool-result stable
host → view notification ui/notifications/tool-cancelled stable
host → view notification ui/notifications/host-context-changed stable
host → view request ui/resource-teardown stable
host → view request tools/call draft appCapabilities.tools
host → view request tools/list draft appCapabilities.tools
host → view notification notifications/tools/list_changed draft hostCapabilities.serverTools.listChanged
host → view notification notifications/resources/list_changed sdk hostCapabilities.serverResources.listChanged
host → view notification notifications/prompts/list_changed sdk
host → view notification notifications/progress sdk
host → view notification notifications/cancelled sdk
host → view request ping stable
sandbox → host notification ui/notifications/sandbox-proxy-ready stable
host → sandbox notification ui/notifications/sandbox-resource-ready stable
`;

function line({ from, to, kind, method, since, gate }: MethodRule): string {
  return [from, "→", to, kind, method, since, ...(gate ? [gate] : [])].join(" ");
}

describe("the method table", () => {
  test("is the catalogue of the specification and the SDK", () => {
    expect(METHODS.map(line)).toEqual(catalogue.trim().split("\n"));
  });

  test("marks the two flags that a stable Host does not know", () => {
    const late = METHODS.filter((rule) => rule.gateSince === "draft").map((rule) => rule.method);
    expect(late).toEqual(["ui/message", "ui/update-model-context"]);
  });

  test("asks for a further capability when sampling offers tools", () => {
    expect(findMethod("view", "sampling/createMessage")?.paramGates).toEqual({
      tools: "hostCapabilities.sampling.tools",
      toolChoice: "hostCapabilities.sampling.tools",
    });
  });

  test("names notifications as notifications", () => {
    for (const { method, kind } of METHODS) {
      expect(method.includes("notifications/"), method).toBe(kind === "notification");
    }
  });
});

describe("looking up a method", () => {
  test("depends on who sends it", () => {
    expect(findMethod("view", "tools/call")?.gate).toBe("hostCapabilities.serverTools");
    expect(findMethod("host", "tools/call")?.gate).toBe("appCapabilities.tools");
    expect(findMethod("sandbox", "tools/call")).toBeUndefined();
    expect(findMethod("host", "ui/initialize")).toBeUndefined();
    expect(findMethod("view", "ui/resource-teardown")).toBeUndefined();
    expect(findMethod("view", "ui/notifications/sandbox-proxy-ready")).toBeUndefined();
  });

  test.each([
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "",
    " ",
    "view ping",
    "PING",
    "ui/initialize ",
    "ui/initialize\0",
    "ui/log",
    "ui/call-view-tool",
    "initialize",
  ])("finds nothing under %j", (method) => {
    for (const from of ["view", "host", "sandbox"] as const) {
      expect(findMethod(from, method)).toBeUndefined();
    }
  });

  test("is not misled by a method that carries another sender's name", () => {
    expect(findMethod("view", "host ping")).toBeUndefined();
  });
});

describe("the types of the table", () => {
  test("give params and result of a method by its sender", () => {
    expectTypeOf<ViewRequests["tools/call"]["result"]>().toEqualTypeOf<CallToolResult>();
    expectTypeOf<ViewRequests["ui/initialize"]["result"]>().toEqualTypeOf<McpUiInitializeResult>();
    expectTypeOf<ViewRequests["ui/open-link"]["params"]>().toEqualTypeOf<{ url: string }>();
    expectTypeOf<HostRequests["ping"]["result"]>().toEqualTypeOf<EmptyResult>();
    expectTypeOf<HostNotifications["ui/notifications/tool-input"]>().toEqualTypeOf<{
      arguments?: Record<string, unknown>;
    }>();
    expectTypeOf<ViewNotifications["ui/notifications/size-changed"]>().toEqualTypeOf<{
      width?: number;
      height?: number;
    }>();
  });

  test("allow a list without params", () => {
    expectTypeOf<undefined>().toExtend<ViewRequests["tools/list"]["params"]>();
    expectTypeOf<undefined>().not.toExtend<ViewRequests["tools/call"]["params"]>();
  });

  test("let a Host give a reason for a teardown", () => {
    expectTypeOf<{ reason: string }>().toExtend<HostRequests["ui/resource-teardown"]["params"]>();
  });
});
