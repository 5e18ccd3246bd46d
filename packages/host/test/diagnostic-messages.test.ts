import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Diagnostic, DiagnosticCode } from "../src/diagnostic.ts";
import { explainDiagnostic } from "../src/diagnostic-messages.ts";

const source = await readFile(new URL("../src/diagnostic.ts", import.meta.url), "utf8");
const union = /DiagnosticCode =(.+?)\n\n/s.exec(source)?.[1] ?? "";
const CODES = Array.from(union.matchAll(/\| "([\w-]+)"/g), ([, code]) => code as DiagnosticCode);

const diagnose = (code: DiagnosticCode, more: Partial<Diagnostic> = {}): Diagnostic => ({
  level: "error",
  stage: "sandbox",
  code,
  elapsed: 12,
  server: "weather",
  ...more,
});

test.each(CODES)("%s has a readable title, cause and remedy", (code) => {
  for (const detail of [undefined, "ui://weather/forecast"]) {
    const more = detail === undefined ? {} : { detail };
    const { title, cause, remedy } = explainDiagnostic(diagnose(code, more));
    for (const words of [title, remedy]) expect(words).toMatch(/^[A-Z].*[.)]$/s);
    expect(`${title} ${cause} ${remedy}`).not.toMatch(/undefined|null|\[object/);
    expect(title.length).toBeLessThan(80);
  }
});

test("there are as many sentences as codes", () => {
  expect(CODES.length).toBeGreaterThan(20);
});

describe("an explanation", () => {
  test("names the value it is about and the line to write", () => {
    const type = explainDiagnostic(diagnose("resource-type", { detail: "ui://w/f: text/html" }));
    expect(type.cause).toContain("ui://w/f: text/html");
    expect(type.remedy).toContain('mimeType: "text/html;profile=mcp-app"');
    const blocked = explainDiagnostic(
      diagnose("blocked", { detail: "connect-src: https://api.x.com" }),
    );
    expect(blocked.remedy).toContain('connectDomains: ["https://api.x.com"]');
    const script = explainDiagnostic(
      diagnose("blocked", { detail: "script-src-elem: https://cdn.x.com" }),
    );
    expect(script.remedy).toContain('resourceDomains: ["https://cdn.x.com"]');
  });

  test("tells the Sandbox's refusals and stops apart", () => {
    const same = explainDiagnostic(diagnose("sandbox-refused", { cause: "same-origin" }));
    expect(same.cause).toContain("same origin");
    const unknown = explainDiagnostic(diagnose("host-refused", { cause: "https://s.example" }));
    expect(unknown.remedy).toContain("hosts: [");
    const other = explainDiagnostic(diagnose("sandbox-refused", { cause: new Error("no store") }));
    expect(other.cause).toContain("no store");
    const away = explainDiagnostic(
      diagnose("killed", { detail: "navigation https://evil.example" }),
    );
    expect(away.title).toContain("https://evil.example");
    expect(explainDiagnostic(diagnose("killed", { detail: "flood" })).title).toContain("too many");
  });

  test("includes an error's message, without the anchor of its code", () => {
    const cause = new Error("errors.md#resource-failed: ui://weather/forecast");
    const { cause: words } = explainDiagnostic(diagnose("resource-failed", { cause }));
    expect(words).toContain("error: ui://weather/forecast.");
  });

  test("quotes at most a few lines of what a View or Server chose", () => {
    const { cause } = explainDiagnostic(diagnose("refused", { detail: "x".repeat(10_000) }));
    expect(cause.length).toBeLessThan(400);
  });

  test("has details that can be copied and read by a program", () => {
    const { details } = explainDiagnostic(diagnose("gone", { view: "message-7" }));
    expect(JSON.parse(details)).toMatchObject({
      code: "gone",
      stage: "sandbox",
      elapsed: 12,
      server: "weather",
      view: "message-7",
    });
  });
});
