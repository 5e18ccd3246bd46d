import type { ReactNode } from "react";
import type { Run } from "../dev-state.ts";

const LONGEST = 200;

/** How far a running tool is, as far as its server reports that. */
export function ToolProgress({ run }: { run: Run }): ReactNode {
  if (run.state !== "running" || !run.progress) return null;
  const { progress, total, message } = run.progress;
  const label = message?.slice(0, LONGEST) ?? "Progress of the tool";
  return (
    <span className="tool-progress">
      {total !== undefined && total > 0 ? (
        <progress aria-label={label} value={progress} max={total} />
      ) : (
        <progress aria-label={label} />
      )}
      <span className="quiet">
        {message?.slice(0, LONGEST)} {total === undefined ? progress : `${progress} of ${total}`}
      </span>
    </span>
  );
}
