import { createSandbox } from "@vitrine/sandbox";
import { expect, test } from "vitest";
import { withPromptReports } from "../../src/stage/prompt-reports.ts";

const HOST = "http://vitrine.localhost:5280";

/** The headers of a View's document, by either Sandbox. */
async function headersOf(isPrompt: boolean): Promise<Headers> {
  const sandbox = createSandbox({
    origins: { tier: "localhost", port: 8081, hosts: [HOST], key: "k".repeat(43) },
  });
  const { proxyUrl } = await sandbox.register({
    server: "s",
    resource: "ui://s/v",
    html: "<p>Hello</p>",
    host: HOST,
    meta: { csp: { connectDomains: ["https://api.example.com"] } },
  });
  const served = isPrompt ? withPromptReports(sandbox) : sandbox;
  const frame = { "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate" };
  const relay = await served.fetch(new Request(proxyUrl, { headers: frame }));
  const address = /frame-src ([^ ;]+)/.exec(
    relay.headers.get("content-security-policy") ?? "",
  )?.[1];
  return (await served.fetch(new Request(address ?? "", { headers: frame }))).headers;
}

test("a View's policy is the one of production but for the way of its reports", async () => {
  const [before, after] = [await headersOf(false), await headersOf(true)];
  // Each View has addresses of its own.
  const own = (text: string | null): string => (text ?? "").replaceAll(/[a-z2-7]{32}/g, "id");
  const report = "http://id.localhost:8081/r/id";
  expect(own(after.get("content-security-policy"))).toBe(
    own(before.get("content-security-policy")).replace("report-to view", `report-uri ${report}`),
  );
  expect(own(after.get("connection-allowlist"))).toBe(
    own(before.get("connection-allowlist")).replace(")", ` "${report}")`),
  );
  for (const name of [
    "permissions-policy",
    "cross-origin-resource-policy",
    "x-content-type-options",
  ]) {
    expect(after.get(name)).toBe(before.get(name));
  }
  // The View itself cannot connect to it.
  const connect = /connect-src ([^;]*)/.exec(own(after.get("content-security-policy")))?.[1];
  expect(connect).not.toContain("localhost:8081");
});
