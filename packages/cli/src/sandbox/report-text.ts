import { printable } from "@vitrine/protocol/printable";
import type { Terminal } from "../terminal.ts";
import { PROBLEMS, type Problem, type ProblemSeverity } from "./problem.ts";
import type { VerifyReport } from "./verify.ts";

type Styler = Pick<Terminal, "style">;

const GROUPS: readonly [ProblemSeverity, "red" | "yellow" | "dim"][] = [
  ["error", "red"],
  ["warning", "yellow"],
  ["note", "dim"],
];

/** The report as text: the verdict, then each problem with its remedy. */
export function renderReport(report: VerifyReport, terminal: Styler): string {
  const groups = GROUPS.flatMap(([severity, colour]) =>
    report.problems
      .filter((one) => one.severity === severity)
      .flatMap((one) => problemLines(one, colour, terminal)),
  );
  return [headline(report, terminal), ...groups].join("\n");
}

function headline(
  { sandbox, host, hosts, views, problems }: VerifyReport,
  { style }: Styler,
): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const whose = host === undefined ? "" : ` for ${host}`;
  if (errors > 0) {
    const count = errors === 1 ? "1 problem" : `${errors} problems`;
    return `${style("bold", style("red", "Broken:"))} ${sandbox}${whose} has ${count}.`;
  }
  const opened = views > 0 ? " Views can be registered and opened." : "";
  const allowed =
    host === undefined && hosts
      ? ` It allows ${printable(hosts.join(", "))}; use --host to check one.`
      : "";
  return `${style("green", "Healthy:")} ${sandbox} works${whose}.${opened}${allowed}`;
}

function problemLines(
  { code, severity, where, cause, remedy }: Problem,
  colour: "red" | "yellow" | "dim",
  { style }: Styler,
): string[] {
  return [
    "",
    `${style(colour, severity)} ${style("bold", PROBLEMS[code])} ${style("dim", `(${code})`)}`,
    `  ${printable(cause)}`,
    `  ${style("bold", "→")} ${printable(remedy)}`,
    style("dim", `  ${printable(where)}`),
  ];
}
