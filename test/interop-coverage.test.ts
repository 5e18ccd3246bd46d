import { readdirSync, readFileSync } from "node:fs";
import { METHODS } from "@vitrine/protocol/apps";
import { describe, expect, test } from "vitest";

const folder = new URL("./interop/", import.meta.url);

// A file tests one direction, except for the handshake, in which both sides ping.
const fromHost = /^(host-|handshake)/;
const fromView = /^(?!host-)/;

function sources(pattern: RegExp): string {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".browser.test.ts") && pattern.test(name))
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("\n");
}

// Progress and cancellation travel both ways as part of a request and are tested with one.
const alongside = ["notifications/progress", "notifications/cancelled"];

describe("the interop tests name every method of the catalogue", () => {
  const text = { view: sources(fromView), host: sources(fromHost) };
  const methods = METHODS.filter(({ from, to }) => from !== "sandbox" && to !== "sandbox");

  test.each(methods)("$method from the $from", ({ method, from }) => {
    const searched = alongside.includes(method) ? text.view : text[from as "view" | "host"];
    expect(searched).toMatch(new RegExp(`["\`]${method.replaceAll("/", "\\/")}["\` ]`));
  });
});
