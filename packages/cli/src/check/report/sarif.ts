// SARIF 2.1.0, which code scanners show next to the source. GitHub rejects a file in which a single
// location isn't a file, is missing or has no line. So a view's own address and line are in the text,
// and the location is the file that serves it.

import { createHash } from "node:crypto";
import type { CheckReport } from "../check.ts";
import { CODES, type Code } from "../codes.ts";
import type { Finding, Severity } from "../finding.ts";

const LEVELS: Record<Severity, string> = { error: "error", warning: "warning", info: "note" };
const ORDER: readonly Severity[] = ["error", "warning", "info"];

/** The report as SARIF. */
export function renderSarif({ diagnosis: { findings }, source }: CheckReport): string {
  const codes = [...new Set(findings.map(({ code }) => code))];
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "vitrine check", rules: codes.map((id) => ruleOf(id, findings)) } },
        // Separates the uploads of several servers.
        automationDetails: { id: `vitrine-check/${source}/` },
        columnKind: "utf16CodeUnits",
        results: findings.map((one) => ({
          ruleId: one.code,
          ruleIndex: codes.indexOf(one.code),
          level: LEVELS[one.severity],
          message: { text: `${one.cause}\n→ ${one.remedy}` },
          locations: [locationOf(one, source)],
          partialFingerprints: { primaryLocationLineHash: fingerprintOf(one, source) },
        })),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function ruleOf(id: Code, findings: readonly Finding[]): object {
  const severities = findings.filter(({ code }) => code === id).map(({ severity }) => severity);
  const worst = ORDER.find((severity) => severities.includes(severity)) ?? "info";
  return {
    id,
    shortDescription: { text: CODES[id] },
    fullDescription: { text: `${CODES[id]}.` },
    help: {
      text: `Each result ends with the line to write. \`vitrine check --only ${id}\` shows only these.`,
    },
    defaultConfiguration: { level: LEVELS[worst] },
    properties: { tags: ["mcp-apps"] },
  };
}

function locationOf({ place }: Finding, source: string): object {
  const { resource, tool, line, column } = place;
  // A scanner rejects files outside of the work tree.
  const own = place.source && !/^(?:\.\.|\/|[a-z]+:)/i.test(place.source.file) && place.source;
  const isServed = resource !== undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(resource);
  // Lines of a page that a server returns aren't lines of the server.
  const [startLine, startColumn] = own
    ? [own.line, own.column]
    : isServed || line === undefined || line < 1
      ? [1, 1]
      : [line, Math.max(column ?? 1, 1)];
  const at = line === undefined ? "" : `:${line}:${column ?? 1}`;
  const logical = [
    ...(tool ? [{ name: tool, kind: "function" }] : []),
    ...(isServed
      ? [{ name: resource, kind: "resource", fullyQualifiedName: `${resource}${at}` }]
      : []),
  ];
  return {
    physicalLocation: {
      artifactLocation: {
        uri: (own ? own.file : source).split("/").map(encodeURIComponent).join("/"),
      },
      region: { startLine, startColumn, endLine: startLine, endColumn: startColumn + 1 },
    },
    ...(logical.length > 0 && { logicalLocations: logical }),
  };
}

/** The same finding of the same server is the same alert next time, even if its line moved. */
function fingerprintOf({ code, place, remedy }: Finding, source: string): string {
  const words = JSON.stringify([source, code, place.tool, place.resource, remedy]);
  return `${createHash("sha256").update(words).digest("hex").slice(0, 16)}:1`;
}
