import { defineApp, registerAppTool } from "@vitrine/server";
import { afterEach, describe, expect, test, vi } from "vitest";
import { unconnected } from "./in-memory.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function emitted(): string[] {
  const codes: string[] = [];
  vi.spyOn(process, "emitWarning").mockImplementation(((_: string, options: { code: string }) => {
    codes.push(options.code);
  }) as never);
  return codes;
}

const app = (name: string) =>
  defineApp({
    name,
    tool: { handler: () => ({ text: "noon" }) },
    view: "<!doctype html><script src='https://cdn.example.com/a.js'></script>",
  });

describe("without a listener", () => {
  test("each warning goes to the platform, once however many servers are built", () => {
    vi.stubEnv("NODE_ENV", "development");
    const codes = emitted();
    for (let at = 0; at < 3; at++) app("clock").register(unconnected());
    expect(codes).toEqual(["origin-undeclared", "border-unsaid"]);
  });

  test("production gets no warnings, unless the server cannot start", async () => {
    vi.stubEnv("NODE_ENV", "production");
    const codes = emitted();
    app("quiet").register(unconnected());
    expect(codes).toEqual([]);
    const server = unconnected();
    const _meta = { ui: { resourceUri: "ui://quiet/none.html" } };
    registerAppTool(server, "t", { _meta }, () => ({ text: "a" }));
    await expect(server.connect({} as never)).rejects.toMatchObject({ code: "dangling-resource" });
    expect(codes).toEqual(["start-refused"]);
  });
});
