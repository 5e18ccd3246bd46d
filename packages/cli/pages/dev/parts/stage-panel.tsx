import { type ReactNode, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import type { DevState } from "../dev-state.ts";
import { problemsOf } from "../problem-list.ts";
import { hasView } from "../tool-view.ts";
import { ResultPanel } from "./result-panel.tsx";
import { ScrollArea } from "./scroll-area.tsx";
import { StageToolbar } from "./stage-toolbar.tsx";
import { ViewFrame } from "./view-frame.tsx";

const STAGES: Record<NonNullable<DevState["stage"]>, string> = {
  resource: "Reading the view's page",
  sandbox: "Opening the sandbox",
  document: "Loading the document",
  initialize: "Handshake",
  initialized: "Ready",
  shown: "Shown",
};

/** The view, in the host's own frame, and its text. */
export function StagePanel({ host }: { host: DevHost }): ReactNode {
  const { run, settings, buildErrors } = useFields(host.state, "run", "settings", "buildErrors");
  const [scale, setScale] = useState("");
  const isText = run !== undefined && !hasView(run.tool);
  return (
    <section className="stage" aria-label="View">
      <StageToolbar host={host} />
      {buildErrors.length > 0 && (
        <div className="build-errors" role="alert">
          <h2>The build failed. Save a file to try again.</h2>
          {buildErrors.map((text) => (
            <pre key={text}>{text}</pre>
          ))}
        </div>
      )}
      <ScrollArea className="floor" label="View area" theme={settings.theme}>
        {!run && (
          <p className="empty">
            Choose a tool and run it. Its view appears here, as strictly sandboxed as in production.
          </p>
        )}
        {isText && <p className="empty">This tool has no view. Its result is below.</p>}
        <ViewFrame host={host} onScale={setScale} />
      </ScrollArea>
      {run && !isText && (
        <p className="progress" role="status">
          <Progress host={host} />
          <span>{scale}</span>
        </p>
      )}
      {run && <ResultPanel host={host} run={run} />}
    </section>
  );
}

/** The view's progress, and possible obstacles. */
function Progress({ host }: { host: DevHost }): ReactNode {
  const { run, stage, ...reported } = useFields(
    host.state,
    "run",
    "stage",
    "diagnostics",
    "blocked",
    "reasons",
    "problems",
  );
  const { diagnostics } = reported;
  const { reasons, problems } = problemsOf(reported);
  const isUnreachable = reasons[0]?.code === "unreachable";
  const failure = isUnreachable ? undefined : problems.find(({ level }) => level === "error");
  const hasFailed = diagnostics.some(({ level }) => level === "error");
  return (
    <>
      <span>{run && progressOf(run.state, stage, hasFailed)}</span>
      {failure ? (
        <span className="why">
          {failure.place && `${failure.place.file}:${failure.place.line} `}
          {failure.cause}
        </span>
      ) : (
        reasons[0] && <span className="why">{reasons[0].cause}</span>
      )}
    </>
  );
}

function progressOf(
  state: NonNullable<DevState["run"]>["state"],
  stage: DevState["stage"],
  hasFailed: boolean,
): string {
  if (!stage) return state === "running" ? "Waiting for the server" : "";
  return hasFailed ? `Stopped at: ${STAGES[stage].toLowerCase()}` : STAGES[stage];
}
