import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { PROBE_SCRIPT } from "../src/probe-script.ts";
import { directives, FRAME, HOST, PROXY, SINGLE, Stage, settings } from "./sandbox-stage.ts";

interface ProbeBuild {
  bundleProbe(): Promise<string>;
  toProbeModule(script: string): string;
}

// By URL: the build is a script without types.
const { bundleProbe, toProbeModule }: ProbeBuild = await import(
  new URL("../../../scripts/build-relay.mjs", import.meta.url).href
);
const HASH = `'sha256-${createHash("sha256").update(PROBE_SCRIPT).digest("base64")}'`;

async function open(stage = new Stage(), url = `${PROXY}/egress`) {
  const response = await stage.frame(url, { cookie: "a=b" });
  const html = await response.clone().text();
  return { response, html, address: String(settings(html).address) };
}

describe("the page that finds out whether the allow-list is honoured", () => {
  test("has an empty list that reports, and a policy that allows its one request", async () => {
    const { response, html, address } = await open();
    expect(response.status).toBe(200);
    expect(html).toContain(`<script>${PROBE_SCRIPT}</script>`);
    expect(settings(html)).toEqual({ hosts: [HOST], origin: PROXY, address });
    expect(address).toMatch(/^https:\/\/proxy\.usercontent\.example\/egress\/[a-z2-7]{32}$/);
    expect(Object.fromEntries(directives(response))).toEqual({
      "default-src": "'none'",
      "script-src": HASH,
      "connect-src": address,
      "frame-ancestors": HOST,
      "base-uri": "'none'",
      "form-action": "'none'",
    });
    const { "content-security-policy": _, ...rest } = Object.fromEntries(response.headers);
    expect(rest).toEqual({
      "cache-control": "no-store",
      // The request had a cookie.
      "clear-site-data": '"cookies"',
      "connection-allowlist": "();report-to=probe",
      "content-type": "text/html; charset=utf-8",
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": "cross-origin",
      "referrer-policy": "no-referrer",
      "reporting-endpoints": `probe="${address}"`,
      "x-content-type-options": "nosniff",
    });
  });

  test("has an address of its own each time, so that no cache can answer for the network", async () => {
    const stage = new Stage();
    const addresses = await Promise.all([open(stage), open(stage), open(stage)]);
    expect(new Set(addresses.map(({ address }) => address)).size).toBe(3);
  });

  test("has no origin where it shares the Host's domain", async () => {
    const url = `${HOST}/sandbox/egress`;
    const { response, html, address } = await open(new Stage({ origins: SINGLE }), url);
    expect(directives(response).get("sandbox")).toBe("allow-scripts allow-forms");
    expect(response.headers.has("origin-agent-cluster")).toBe(false);
    expect(settings(html).origin).toBe("null");
    expect(address).toMatch(/^https:\/\/chat\.example\/sandbox\/egress\/[a-z2-7]{32}$/);
  });

  test.each([
    ["a page of its own", { ...FRAME, "sec-fetch-dest": "document" }],
    ["a script", { ...FRAME, "sec-fetch-dest": "empty", "sec-fetch-mode": "cors" }],
    ["a prefetch", { ...FRAME, "sec-purpose": "prefetch" }],
    ["a browser that does not say what it does", {}],
  ])("is refused to %s", async (_who, headers) => {
    expect((await new Stage().get(`${PROXY}/egress`, headers)).status).toBe(403);
  });

  test("is not on a View's origin", async () => {
    const view = `https://${"a".repeat(32)}.usercontent.example`;
    const stage = new Stage();
    expect((await stage.frame(`${view}/egress`)).status).toBe(404);
    expect((await stage.frame(`${view}/egress/${"a".repeat(32)}`)).status).toBe(404);
  });
});

describe("the address that the list forbids", () => {
  test("answers every request, also of a page without an origin", async () => {
    const stage = new Stage();
    const { address } = await open(stage);
    const answers = [await stage.get(address), await stage.post(address, "[]", {})];
    for (const { status, headers } of answers) {
      expect(status).toBe(204);
      // With `same-origin` a page without one is refused by that, and the list gets the credit.
      expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.has("set-cookie")).toBe(false);
    }
  });

  test.each(["", "/", `/${"a".repeat(31)}`, `/${"a".repeat(33)}`, `/${"A".repeat(32)}`, "/<id>"])(
    "is nothing else: POST /egress%s is 404",
    async (rest) => {
      const response = await new Stage().post(`${PROXY}/egress${rest}`, "", FRAME);
      expect(response.status).toBe(404);
    },
  );
});

describe("its program", () => {
  test("is the one that its sources make; else run scripts/build-relay.mjs", async () => {
    const script = await bundleProbe();
    expect(PROBE_SCRIPT).toBe(script);
    const file = new URL("../src/probe-script.ts", import.meta.url);
    expect(await readFile(file, "utf8")).toBe(toProbeModule(script));
  });

  test.each([
    ["a switch for its defences", /WITHOUT/],
    ["HTML made from data", /innerHTML|outerHTML|insertAdjacent|document\.write|srcdoc/],
    ["an end of its own tag", /<\/script|<!--/i],
    ["anything but ASCII in one line", /[^\x20-\x7e]/],
  ])("contains no %s", (_what, pattern) => {
    expect(PROBE_SCRIPT).not.toMatch(pattern);
  });
});
