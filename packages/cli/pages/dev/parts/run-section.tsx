import { type ReactNode, useEffect, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { Inspector } from "./inspector.tsx";
import { StagePanel } from "./stage-panel.tsx";
import { ToolPanel } from "./tool-panel.tsx";

const PANES = { tool: "Tool", view: "View", inspect: "Inspect" } as const;
type Pane = keyof typeof PANES;

/** Runs one tool and shows its view: tools, view and inspector next to each other. */
export function RunSection({ host }: { host: DevHost }): ReactNode {
  const { run } = useFields(host.state, "run");
  // The visible pane on narrow screens.
  const [pane, setPane] = useState<Pane>("tool");
  useEffect(() => {
    if (run?.state === "running") setPane("view");
  }, [run?.state]);
  return (
    <>
      <nav className="panes" aria-label="Panes">
        {(Object.keys(PANES) as Pane[]).map((name) => (
          <button
            type="button"
            key={name}
            aria-pressed={pane === name}
            onClick={() => setPane(name)}
          >
            {PANES[name]}
          </button>
        ))}
      </nav>
      <div className="columns" data-pane={pane}>
        <ToolPanel host={host} />
        <StagePanel host={host} />
        <Inspector host={host} />
      </div>
    </>
  );
}
