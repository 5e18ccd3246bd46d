import { expect, test } from "vitest";
import { type BlankView, explainBlank } from "../../src/dev/blank-view.ts";

const HANDSHAKE = 'send("ui/initialize"); send("ui/notifications/initialized");';
const page = (script: string): string =>
  `<!doctype html><html lang="en"><body><p>Hi</p><script>${script}</script></body></html>`;
const viewOf = (html: string, meta: unknown = {}): BlankView => ({
  html,
  meta,
  resource: "ui://x/view.html",
  tool: "show",
  target: "node server.mjs",
});
const nobody = (): Promise<never> =>
  Promise.reject(Object.assign(new TypeError("fetch failed"), { cause: { code: "ENOTFOUND" } }));
const somebody = (): Promise<unknown> => Promise.resolve();
const CDN = "https://cdn.example.com";
const LOADS = `${HANDSHAKE} const s = document.createElement("script"); s.src = "${CDN}/lib.js";`;
const DECLARED = { csp: { resourceDomains: [CDN] } };

test("the first reason is a declared and used address that can't be reached, with a remedy", async () => {
  const [reason] = await explainBlank(viewOf(page(LOADS), DECLARED), nobody);
  expect(reason?.code).toBe("unreachable");
  expect(reason?.cause).toBe(
    "ui://x/view.html needs https://cdn.example.com, which it declares, but that can't be reached from this machine (ENOTFOUND), so nothing loads from there.",
  );
  expect(reason?.remedy).toContain("Check that cdn.example.com answers here");
});

test("an address that answers isn't a reason", async () => {
  const reasons = await explainBlank(viewOf(page(LOADS), DECLARED), somebody);
  expect(reasons.map(({ code }) => code)).toEqual(["not-shown"]);
});

test("requests only addresses that the view uses and declares in a form that hosts grant", async () => {
  const asked: string[] = [];
  const csp = {
    resourceDomains: [CDN, "https://unused.example.com", "http://plain.example.com", 7],
    connectDomains: ["https://127.0.0.1", "https://localhost", "https://*.example.com", CDN],
  };
  const names = "plain.example.com 127.0.0.1 localhost";
  await explainBlank(viewOf(page(`${LOADS} // ${names}`), { csp }), async (origin) => {
    asked.push(origin);
  });
  expect(asked).toEqual([CDN]);
});

test("a syntax error in the page is a reason, with its line", async () => {
  const reasons = await explainBlank(viewOf(page("let = ;")), somebody);
  expect(reasons[0]).toMatchObject({ code: "syntax-error", line: 1 });
});

test("suggests `vitrine check` if no reason is found", async () => {
  const [reason, ...more] = await explainBlank(viewOf(page(HANDSHAKE)), somebody);
  expect(more).toEqual([]);
  expect(reason?.remedy).toContain("vitrine check --tool show -- node server.mjs");
});

test("accepts metadata of any shape", async () => {
  for (const meta of [undefined, null, 7, { csp: 7 }, { csp: { resourceDomains: "x" } }])
    expect(await explainBlank(viewOf(page(HANDSHAKE), meta), nobody)).toHaveLength(1);
});
