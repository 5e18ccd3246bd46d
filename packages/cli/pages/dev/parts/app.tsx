import { type ReactNode, useEffect, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { Header } from "./header.tsx";
import { Inspector } from "./inspector.tsx";
import { StagePanel } from "./stage-panel.tsx";
import { ToolPanel } from "./tool-panel.tsx";

const PANES = { tool: "Tool", view: "View", inspect: "Inspect" } as const;
type Pane = keyof typeof PANES;

/** The whole page. */
export function App({ host }: { host: DevHost }): ReactNode {
  const { settings, isConnected, run } = useFields(host.state, "settings", "isConnected", "run");
  // The visible pane on narrow screens.
  const [pane, setPane] = useState<Pane>("tool");

  useEffect(() => {
    document.documentElement.dataset.theme = settings.theme;
  }, [settings.theme]);
  useEffect(() => {
    if (run?.state === "running") setPane("view");
  }, [run?.state]);

  return (
    <>
      <Header host={host} />
      {!isConnected && (
        <p className="banner" role="alert">
          The connection to this page's process is lost. Start <code>vitrine dev</code> again and
          open the address it prints.
        </p>
      )}
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
      <main className="columns" data-pane={pane}>
        <ToolPanel host={host} />
        <StagePanel host={host} />
        <Inspector host={host} />
      </main>
    </>
  );
}
