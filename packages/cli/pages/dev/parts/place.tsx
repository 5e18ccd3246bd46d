import type { ReactNode } from "react";
import type { SourcePlace } from "../../../src/frame/source-place.ts";

/** The author's file and line, with the code around it. */
export function Place({ place }: { place: SourcePlace }): ReactNode {
  const { file, line, column, frame } = place;
  return (
    <>
      <p className="facts">
        <code className="place">
          {file}:{line}:{column}
        </code>
      </p>
      {frame && <pre className="code-frame">{frame}</pre>}
    </>
  );
}
