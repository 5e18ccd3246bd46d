// The dashboard, the alert rules and the documentation name metrics that exist (O10).

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { freePort, openServiceStage } from "../service/stage.ts";

const ROOT = new URL("../../../../", import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, ROOT), "utf8");
const namesIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/\bvitrine_[a-z_]+/g)].map(([name]) => withoutSuffix(name)));
const withoutSuffix = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, "");

/** The metrics that the sources name. */
function declared(): Set<string> {
  const folders = ["packages/gateway/src", "packages/cluster/src"];
  const cwd = fileURLToPath(ROOT);
  return namesIn(
    execFileSync("grep", ["-rhoE", '"vitrine_[a-z_]+"', ...folders], { cwd, encoding: "utf8" }),
  );
}

/** Metrics of parts that a single gateway with one developer doesn't have. */
const OF_OTHER_PARTS = /^vitrine_(?:cluster|engine|issuer|audit_spool|tenant|otlp)/;

test("each metric in the dashboard and the rules exists in a running gateway", async () => {
  const port = await freePort();
  const stage = await openServiceStage({
    engine: { driver: "sqlite", folder: "data" },
    operator: { host: "127.0.0.1", port },
    audit: {
      archive: { folder: "archive" },
      sinks: [{ kind: "ocsf", url: "http://127.0.0.1:1/nowhere" }],
    },
  });
  onTestFinished(() => stage[Symbol.asyncDispose]());
  await stage.post("tools/call", { name: "forecast", arguments: { city: "Graz" } });
  const running = namesIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  const all = declared();
  for (const path of ["deploy/monitoring/dashboard.json", "deploy/monitoring/rules.yaml"]) {
    const used = [...namesIn(await read(path))];
    expect(used.length).toBeGreaterThan(10);
    const missing = used.filter((name) =>
      OF_OTHER_PARTS.test(name) ? !all.has(name) : !running.has(name),
    );
    expect(missing, path).toEqual([]);
  }
});

test("the documentation lists every metric, and a section for every alert", async () => {
  const text = await read("docs/monitoring.md");
  const listed = new Set([...text.matchAll(/^\| `(vitrine_[a-z_]+)`/gm)].map(([, name]) => name));
  expect([...listed].sort()).toEqual([...declared()].sort());
  const { groups } = parse(await read("deploy/monitoring/rules.yaml"));
  const alerts = groups.flatMap(({ rules }: { rules: Rule[] }) => rules).filter(isAlert);
  expect(alerts.length).toBeGreaterThan(8);
  for (const { alert, labels, annotations } of alerts) {
    expect(alert).toMatch(/^Vitrine[A-Z]/);
    expect(["critical", "warning", "info"]).toContain(labels.severity);
    expect(annotations).toEqual({
      summary: expect.any(String),
      description: expect.any(String),
      runbook_url: `docs/monitoring.md#${alert.toLowerCase()}`,
    });
    expect(text).toContain(`\n### ${alert}\n`);
  }
});

interface Rule {
  alert?: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}

function isAlert(rule: Rule): rule is Rule & { alert: string } {
  return rule.alert !== undefined;
}
