// The report as text: three lines that say what to do, then the rest.

import { printable, shellQuoted } from "@vitrine/protocol/printable";
import type { Terminal } from "../../terminal.ts";
import type { CheckReport } from "../check.ts";
import type { Finding, Severity } from "../finding.ts";
import { RUNS } from "../render/runs.ts";

type Styler = Pick<Terminal, "style">;

const VERDICTS = {
  blank: ["red", "Blank"],
  "text-only": ["red", "Text only"],
  broken: ["red", "Broken"],
  poor: ["yellow", "Works, but"],
} as const;
const GROUPS: readonly [Severity, string, "red" | "yellow" | "dim"][] = [
  ["error", "error", "red"],
  ["warning", "warning", "yellow"],
  ["info", "note", "dim"],
];
const SHOWN_NOTES = 12;

/** The whole report. */
export function renderWords(report: CheckReport, terminal: Styler): string {
  const { cause, findings } = report.diagnosis;
  const rest = findings.filter((one) => one !== cause);
  return [
    ...headline(report, terminal),
    ...groups(rest.map(shownFinding), terminal),
    ...footer(report, terminal),
  ].join("\n");
}

/** Servers and pages choose most of this text. */
function shownFinding(one: Finding): Finding {
  const { tool, resource } = one.place;
  const place = {
    ...one.place,
    ...(tool !== undefined && { tool: printable(tool) }),
    ...(resource !== undefined && { resource: printable(resource) }),
  };
  return { ...one, place, cause: printable(one.cause), remedy: printable(one.remedy) };
}

/** The lines that people read. */
function headline(report: CheckReport, { style }: Styler): string[] {
  const { verdict, cause, findings } = report.diagnosis;
  if (verdict === "no-ui") {
    const [first] = findings.map(shownFinding);
    return [`${style("cyan", "No view:")} ${first?.cause}`, `→ ${first?.remedy}`];
  }
  if (!cause || verdict === "healthy") {
    return [`${style("green", "Healthy:")} ${healthOf(report)}`];
  }
  const [colour, word] = VERDICTS[verdict];
  const shown = shownFinding(cause);
  return [
    `${style("bold", style(colour, `${word}:`))} ${shown.cause}`,
    `${style("bold", "→")} ${shown.remedy}`,
    style("dim", `  ${whereOf(shown)}`),
  ];
}

/** Where a finding is, and how it is known. */
function whereOf({ code, place, seen }: Finding): string {
  const { tool, resource, line, column, run, source } = place;
  const page = resource && line && !source ? `${resource}:${line}:${column}` : resource;
  const file = source && `${printable(source.file)}:${source.line}:${source.column}`;
  const parts = [code, tool && `tool ${tool}`, file, page];
  const title = RUNS.find(({ name }) => name === run)?.title;
  if (seen) parts.push(`seen in Chromium${title && run !== "normal" ? ` with ${title}` : ""}`);
  return parts.filter(Boolean).join(" · ");
}

function healthOf({ views, uiTools, diagnosis }: CheckReport): string {
  const shown = views.filter(({ isShown }) => isShown);
  const what = `${uiTools} ${uiTools === 1 ? "tool" : "tools"} with ${views.length} ${views.length === 1 ? "view" : "views"}`;
  if (shown.length === 0) return `${what}, source checked only (no browser was used).`;
  const times = shown.flatMap(({ sightings }) =>
    sightings.slice(0, 1).map(({ elapsed }) => elapsed),
  );
  const slowest = `${(Math.max(...times) / 1000).toFixed(1)} s`;
  const runs = new Set(shown.flatMap(({ sightings }) => sightings.map(({ run }) => run)));
  const tried = RUNS.filter(({ name }) => runs.has(name) && name !== "normal").map(
    ({ title }) => title,
  );
  const also = tried.length > 0 ? `; also tried ${tried.join(", ")}` : "";
  const count = diagnosis.findings.length;
  return `${what}, shown after ${slowest} at most${also}. ${count === 0 ? "Nothing to fix." : `${count} ${count === 1 ? "note" : "notes"} below.`}`;
}

function groups(findings: readonly Finding[], { style }: Styler): string[] {
  return GROUPS.flatMap(([severity, name, colour]) => {
    const own = findings.filter((one) => one.severity === severity && one.code !== "no-ui");
    if (own.length === 0) return [];
    const title = `${own.length} ${own.length === 1 ? name : `${name}s`}`;
    const shown = severity === "info" ? own.slice(0, SHOWN_NOTES) : own;
    const lines = shown.flatMap((one) => [
      `  ${style(colour, one.code.padEnd(20))} ${one.cause}${placeOf(one)}`,
      `  ${" ".repeat(20)} ${style("dim", "→")} ${one.remedy}`,
    ]);
    const more = own.length - shown.length;
    if (more > 0) lines.push(`  … and ${more} more, all in --json`);
    return ["", style("bold", title), ...lines];
  });
}

function placeOf({ place: { line, column, source }, cause }: Finding): string {
  if (source) {
    const where = `${printable(source.file)}:${source.line}:${source.column}`;
    return cause.includes(where) ? "" : ` (${where})`;
  }
  return line === undefined || cause.includes(`${line}:${column}`) ? "" : ` (${line}:${column})`;
}

function footer({ target, views, skipped, elapsed }: CheckReport, { style }: Styler): string[] {
  const shown = views.map(({ uri: address, isShown, sightings }) => {
    const uri = printable(address);
    const [normal] = sightings;
    if (isShown === undefined) return `${uri} not shown`;
    const seconds = ((normal?.elapsed ?? 0) / 1000).toFixed(1);
    return isShown
      ? `${uri} shown after ${seconds} s, ${sightings.length} ${sightings.length === 1 ? "run" : "runs"}`
      : `${uri} not shown: reached "${normal?.stage}", waited ${seconds} s`;
  });
  const lines = [
    `${printable(target)}: ${shown.length > 0 ? shown.join("; ") : "no view"}. ${(elapsed / 1000).toFixed(1)} s.`,
    ...skipped.map(
      ({ tool, reason }) =>
        `Not called: ${printable(tool)}: ${printable(reason)}. To call it, pass arguments: --call ${shellQuoted(`${tool}={}`)}`,
    ),
  ];
  return ["", ...lines.map((line) => style("dim", line))];
}
