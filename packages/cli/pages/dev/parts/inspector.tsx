import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { problemsOf } from "../problem-list.ts";
import { Conversation } from "./conversation.tsx";
import { Logs } from "./logs.tsx";
import { Problems } from "./problems.tsx";
import { Timeline } from "./timeline.tsx";

const TABS = ["traffic", "problems", "model", "logs"] as const;
type Tab = (typeof TABS)[number];

/** The inspector's four tabs. */
export function Inspector({ host }: { host: DevHost }): ReactNode {
  const { count: problems } = problemsOf(
    useFields(host.state, "diagnostics", "blocked", "reasons", "problems"),
  );
  const [tab, setTab] = useState<Tab>("traffic");
  const list = useRef<HTMLDivElement>(null);
  const labels: Record<Tab, string> = {
    traffic: "Traffic",
    problems: problems > 0 ? `Problems ${problems}` : "Problems",
    model: "Model",
    logs: "Logs",
  };
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] as Tab;
    setTab(next);
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <section className="inspector" aria-label="Inspector">
      <div className="tabs" role="tablist" ref={list} onKeyDown={move}>
        {TABS.map((name) => (
          <button
            type="button"
            role="tab"
            key={name}
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="inspected"
            tabIndex={tab === name ? 0 : -1}
            data-alarm={name === "problems" && problems > 0}
            onClick={() => setTab(name)}
          >
            {labels[name]}
          </button>
        ))}
      </div>
      <div className="tab" role="tabpanel" id="inspected" aria-labelledby={`tab-${tab}`}>
        {tab === "traffic" && <Timeline host={host} />}
        {tab === "problems" && <Problems host={host} />}
        {tab === "model" && <Conversation host={host} />}
        {tab === "logs" && <Logs host={host} />}
      </div>
    </section>
  );
}
