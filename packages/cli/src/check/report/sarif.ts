// SARIF 2.1.0, which code scanners show beside the source.

import type { CheckReport } from "../check.ts";
import { CODES } from "../codes.ts";
import type { Finding, Severity } from "../finding.ts";

const LEVELS: Record<Severity, string> = { error: "error", warning: "warning", info: "note" };

/** The report as SARIF. */
export function renderSarif({ diagnosis, target }: CheckReport): string {
  const codes = [...new Set(diagnosis.findings.map(({ code }) => code))];
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "vitrine check",
            rules: codes.map((id) => ({ id, shortDescription: { text: CODES[id] } })),
          },
        },
        results: diagnosis.findings.map((one) => ({
          ruleId: one.code,
          ruleIndex: codes.indexOf(one.code),
          level: LEVELS[one.severity],
          message: { text: `${one.cause}\n→ ${one.remedy}` },
          locations: [locationOf(one, target)],
        })),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function locationOf({ place }: Finding, target: string): object {
  const { resource, tool, line, column } = place;
  const uri = resource ?? target;
  return {
    physicalLocation: {
      // A location without an address is none; a command line is not one as it stands.
      artifactLocation: { uri: encodeURI(uri) },
      ...(line !== undefined && { region: { startLine: line, startColumn: column ?? 1 } }),
    },
    ...(tool && { logicalLocations: [{ name: tool, kind: "function" }] }),
  };
}
