import { type CSSProperties, type ReactNode, useEffect, useState } from "react";
import { useMedia } from "../../media.ts";
import { useFields, useStore } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { IS_WIDE } from "../page-layout.ts";
import { Inspector } from "./inspector.tsx";
import { PaneDivider } from "./pane-divider.tsx";
import { StagePanel } from "./stage-panel.tsx";
import { ToolPanel } from "./tool-panel.tsx";

const PANES = { tool: "Tool", view: "View", inspect: "Inspect" } as const;
type Pane = keyof typeof PANES;

/** Runs one tool and shows its view: tools, view and inspector next to each other. */
export function RunSection({ host }: { host: DevHost }): ReactNode {
  const layout = useStore(host.layout);
  const isWide = useMedia(IS_WIDE);
  const hasInspector = isWide ? layout.hasInspector : layout.hasInspectorBelow;
  // The visible pane on narrow screens.
  const [pane, setPane] = useState<Pane>("tool");
  const { run } = useFields(host.state, "run");
  useEffect(() => {
    if (run?.state === "running") setPane("view");
  }, [run?.state]);
  const sizes = {
    "--tools": `${layout.toolsWidth}px`,
    "--inspector": `${isWide ? layout.inspectorWidth : layout.inspectorHeight}px`,
  } as CSSProperties;
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
      <div
        className="columns"
        data-pane={pane}
        data-tools={layout.hasTools}
        data-inspector={hasInspector}
        style={sizes}
      >
        <ToolPanel host={host} />
        <PaneDivider host={host} pane="toolsWidth" label="Resize tools" />
        <StagePanel host={host} />
        <PaneDivider
          host={host}
          pane={isWide ? "inspectorWidth" : "inspectorHeight"}
          label="Resize inspector"
        />
        <Inspector
          host={host}
          onOpen={() => !isWide && !hasInspector && host.layout.set({ hasInspectorBelow: true })}
        />
      </div>
    </>
  );
}
