import { fuzzRuns } from "@vitrine/internal/fuzz-runs";
import { expect, test } from "vitest";
import { buildPolicy } from "../src/csp.ts";
import { viewHeaders } from "../src/headers.ts";
import { expectGrammar } from "./header-grammar.ts";
import { HostileMeta } from "./hostile-meta.ts";

const RUNS = fuzzRuns(10_000);
const placing = {
  hosts: ["https://chat.example"],
  proxy: "https://proxy.usercontent.example",
  opaque: false,
  oneSite: true,
  sandbox: "allow-scripts",
  reportUrl: "https://x.usercontent.example/r/x",
};

test("SBX-04: hostile _meta.ui never throws and never puts a foreign byte into a header (E95)", () => {
  const meta = new HostileMeta(20261114);
  let granted = 0;
  let refused = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const policy = buildPolicy(meta.next(), { permissions: ["camera"] });
    expectGrammar(policy);
    // What leaves for the browser: one line each, and one policy each, which a comma would make two.
    const headers = viewHeaders(policy, placing);
    const text = Object.values(headers).join("");
    const { "content-security-policy": csp = ",", "connection-allowlist": list = "," } = headers;
    if (!/^[\x20-\x7e]+$/.test(text) || /,/.test(csp + list) || csp.length > 8192) {
      expect.fail(text);
    }
    for (const { value, reason } of policy.rejected) {
      if (!/^[\x20-\x7e]{1,600}$/.test(value) || !/^[\x20-\x7e]{1,1000}$/.test(reason)) {
        expect.fail(JSON.stringify({ value, reason }));
      }
    }
    granted += policy.egress.length;
    refused += policy.rejected.length;
  }
  // The generator makes both kinds: it would prove nothing if all were rejected by the parser.
  expect(granted).toBeGreaterThan(RUNS / 4);
  expect(refused).toBeGreaterThan(RUNS);
}, 600_000);
