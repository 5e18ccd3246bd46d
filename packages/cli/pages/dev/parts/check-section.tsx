import type { ReactNode } from "react";
import type { CheckFinding, CheckOutcome } from "../../../src/dev/dev-check.ts";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { ContactSheet } from "./contact-sheet.tsx";
import { ScrollArea } from "./scroll-area.tsx";

const VERDICTS: Record<string, string> = {
  blank: "A view is blank",
  "text-only": "Hosts show text instead of a view",
  broken: "A view doesn't work as it should",
  poor: "All views work, with warnings",
  healthy: "All views are healthy",
  "no-ui": "This server has no view",
};

/** Shows every view in every state, with the findings of `vitrine check`. */
export function CheckSection({ host }: { host: DevHost }): ReactNode {
  const { isRunning, pictures, outcome, failure } = useFields(
    host.checks.state,
    "isRunning",
    "pictures",
    "outcome",
    "failure",
  );
  return (
    <ScrollArea className="check-section" label="Check">
      <header>
        <div>
          <h2>{titleOf({ isRunning, outcome })}</h2>
          <p className="quiet" role="status">
            {describe({ isRunning, outcome, count: pictures.length })}
          </p>
        </div>
        <button
          type="button"
          className="run"
          disabled={isRunning}
          onClick={() => void host.checks.run()}
        >
          {outcome || failure ? "Check again" : "Check"}
        </button>
      </header>
      {failure && (
        <p className="trouble" role="alert">
          {failure}
        </p>
      )}
      <ContactSheet pictures={pictures} findings={outcome?.findings ?? []} />
      {outcome && <Findings outcome={outcome} />}
    </ScrollArea>
  );
}

function titleOf({
  isRunning,
  outcome,
}: {
  isRunning: boolean;
  outcome: CheckOutcome | undefined;
}): string {
  if (isRunning) return "Checking…";
  return outcome ? (VERDICTS[outcome.verdict] ?? outcome.verdict) : "Check every state";
}

function describe({
  isRunning,
  outcome,
  count,
}: {
  isRunning: boolean;
  outcome: CheckOutcome | undefined;
  count: number;
}): string {
  if (isRunning) return `${count} ${count === 1 ? "picture" : "pictures"} so far`;
  if (!outcome)
    return "Starts the server once more, calls its tools that only read, and shows each view with late, empty, failed and cancelled results, in dark mode, at 360 px and right-to-left.";
  const { findings, shown, views, elapsed } = outcome;
  const total = (severity: string): number =>
    findings.filter((one) => one.severity === severity).length;
  return `${shown} of ${views} views shown, ${total("error")} errors, ${total("warning")} warnings, ${total("info")} notes, ${(elapsed / 1000).toFixed(1)} s`;
}

const GROUPS: readonly [CheckFinding["severity"], string][] = [
  ["error", "Errors"],
  ["warning", "Warnings"],
  ["info", "Notes"],
];

function Findings({ outcome: { findings, skipped } }: { outcome: CheckOutcome }): ReactNode {
  return (
    <div className="findings">
      {GROUPS.map(([severity, title]) => {
        const own = findings.filter((one) => one.severity === severity);
        if (own.length === 0) return null;
        return (
          <section key={severity}>
            <h3>{title}</h3>
            <ul>
              {own.map((one) => (
                <li key={`${one.code} ${one.tool} ${one.cause}`} data-severity={severity}>
                  <p>
                    <code>{one.code}</code> {one.cause}
                  </p>
                  <p className="quiet">Fix: {one.remedy}</p>
                  {one.where && <p className="quiet">{one.where}</p>}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {skipped.map(({ tool, reason }) => (
        <p key={tool} className="quiet">
          Not called: {tool}: {reason}
        </p>
      ))}
    </div>
  );
}
