import { within, wordsOf } from "./deadline.ts";
import { HOST_SCENARIOS } from "./host/index.ts";
import { type Role, type Rule, rulesOf } from "./rule.ts";
import { SANDBOX_SCENARIOS } from "./sandbox/index.ts";
import { type Finding, NotRun, type Outcome, type Scenario, verdictOf } from "./scenario.ts";
import { SERVER_SCENARIOS } from "./server/index.ts";
import { HostTarget, type HostTargetOptions } from "./targets/host-target.ts";
import { SandboxTarget, type SandboxTargetOptions } from "./targets/sandbox-target.ts";
import { ServerTarget, type ServerTargetOptions } from "./targets/server-target.ts";
import { ViewTarget, type ViewTargetOptions } from "./targets/view-target.ts";
import { VIEW_SCENARIOS } from "./view/index.ts";

/** Options of a run. */
export type ConformanceOptions = (
  | { role: "server"; target: ServerTargetOptions }
  | { role: "host"; target: HostTargetOptions }
  | { role: "sandbox"; target: SandboxTargetOptions }
  | { role: "view"; target: ViewTargetOptions }
) & {
  /** Only these rules; by default all of the role. */
  rules?: readonly string[];
  /** Time limit of one scenario in milliseconds; default 60 s, and 120 s in a browser. */
  timeout?: number;
  /** Scenarios that run at once; default 1 for servers, whose sessions they share, otherwise 4. */
  parallel?: number;
  /** Cancels the run: no further scenario starts, and the run rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called with every scenario's outcomes. */
  onOutcome?: (outcome: Outcome) => void;
};

/** The results of a run. */
export interface ConformanceReport {
  role: Role;
  /** The product, as its target names it. */
  subject: string;
  startedAt: string;
  milliseconds: number;
  /** One per rule, in the order of their ids. */
  outcomes: Outcome[];
}

/** Runs the scenarios of a role against a product and reports on every rule of the role. */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  switch (options.role) {
    case "server":
      return runScenarios(SERVER_SCENARIOS, new ServerTarget(options.target), options);
    case "host":
      return runScenarios(HOST_SCENARIOS, new HostTarget(options.target), options);
    case "sandbox":
      return runScenarios(SANDBOX_SCENARIOS, new SandboxTarget(options.target), options);
    case "view":
      return runScenarios(VIEW_SCENARIOS, new ViewTarget(options.target), options);
  }
}

/** The part of a target that a run uses. */
export interface Target {
  readonly subject: string;
  /** Throws if the product can't be reached at all: then there is nothing to report. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Runs scenarios, a few at once; none of them can end the run. */
export async function runScenarios<T extends Target>(
  scenarios: readonly Scenario<T>[],
  target: T,
  options: Omit<ConformanceOptions, "target">,
): Promise<ConformanceReport> {
  const { role, rules, signal, onOutcome } = options;
  const isInBrowser = role !== "server";
  const { parallel = isInBrowser ? 4 : 1, timeout = isInBrowser ? 120_000 : 60_000 } = options;
  const startedAt = new Date();
  const wanted = rulesOf(role).filter(({ id }) => !rules || rules.includes(id));
  const outcomes = new Map<string, Outcome>();
  try {
    await within(target.start(), timeout, `Reaching ${target.subject}`);
    const queue = [...scenarios];
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const { rules: decided } = next;
        const own = wanted.filter(({ id }) => decided.includes(id));
        if (own.length === 0) continue;
        signal?.throwIfAborted();
        for (const outcome of await runScenario(next, target, own, timeout)) {
          outcomes.set(outcome.id, outcome);
          onOutcome?.(outcome);
        }
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
  } finally {
    await target.close();
  }
  return {
    role,
    subject: target.subject,
    startedAt: startedAt.toISOString(),
    milliseconds: Date.now() - startedAt.getTime(),
    outcomes: wanted.map((rule) => outcomes.get(rule.id) ?? undecided(rule)),
  };
}

async function runScenario<T>(
  scenario: Scenario<T>,
  target: T,
  rules: readonly Rule[],
  timeout: number,
): Promise<Outcome[]> {
  const { title } = scenario;
  const all = (verdict: Outcome["verdict"], note: string): Outcome[] =>
    rules.map((rule) => ({ ...rule, verdict, note, scenario: title }));
  let findings: readonly Finding[];
  try {
    findings = await within(scenario.run(target), scenario.timeout ?? timeout, `"${title}"`);
  } catch (error) {
    if (error instanceof NotRun) return all("not-run", error.message);
    return all("error", `The scenario failed to run: ${wordsOf(error)}`);
  }
  return rules.map((rule) => {
    const finding = findings.find(({ rule: id }) => id === rule.id);
    if (!finding) return { ...undecided(rule), scenario: title };
    const verdict = verdictOf(rule.force, finding.state);
    return { ...rule, verdict, note: finding.note, scenario: title };
  });
}

function undecided(rule: Rule): Outcome {
  return { ...rule, verdict: "not-run", note: "No scenario came to a finding.", scenario: "" };
}

/** Whether the product conforms: every MUST holds, and every scenario ran. */
export function conforms({ outcomes }: ConformanceReport): boolean {
  return !outcomes.some(({ verdict }) => verdict === "fail" || verdict === "error");
}
