import { type ReactNode, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { problemsOf } from "../problem-list.ts";
import { Audiences } from "./audiences.tsx";
import { Conversation } from "./conversation.tsx";
import { Logs } from "./logs.tsx";
import { Outline } from "./outline.tsx";
import { Problems } from "./problems.tsx";
import { RunHistory } from "./run-history.tsx";
import { Scenarios } from "./scenarios.tsx";
import { TabList, tabId } from "./tab-list.tsx";
import { Timeline } from "./timeline.tsx";

type Tab =
  | "traffic"
  | "problems"
  | "outline"
  | "audiences"
  | "scenarios"
  | "model"
  | "logs"
  | "history";
const PANEL = "inspected";

/** The inspector's tabs. */
export function Inspector({
  host,
  onOpen,
}: {
  host: DevHost;
  /** The user selected a tab, which is also visible while the rest is closed. */
  onOpen(): void;
}): ReactNode {
  const { count: problems } = problemsOf(
    useFields(host.state, "diagnostics", "blocked", "reasons", "problems"),
  );
  const [tab, setTab] = useState<Tab>("traffic");
  return (
    <section className="inspector" id="inspector" aria-label="Inspector">
      <TabList<Tab>
        name="Inspector"
        tabs={[
          { id: "traffic", label: "Traffic" },
          {
            id: "problems",
            label: problems > 0 ? `Problems ${problems}` : "Problems",
            isAlarm: problems > 0,
          },
          { id: "outline", label: "Outline" },
          { id: "audiences", label: "Audiences" },
          { id: "scenarios", label: "Scenarios" },
          { id: "model", label: "Model" },
          { id: "logs", label: "Logs" },
          { id: "history", label: "History" },
        ]}
        selected={tab}
        panel={PANEL}
        onSelect={(next) => {
          setTab(next);
          onOpen();
        }}
      />
      <div className="tab" role="tabpanel" id={PANEL} aria-labelledby={tabId(PANEL, tab)}>
        {tab === "traffic" && <Timeline host={host} />}
        {tab === "problems" && <Problems host={host} />}
        {tab === "outline" && <Outline host={host} />}
        {tab === "audiences" && <Audiences host={host} />}
        {tab === "scenarios" && <Scenarios host={host} />}
        {tab === "model" && <Conversation host={host} />}
        {tab === "logs" && <Logs host={host} />}
        {tab === "history" && <RunHistory host={host} />}
      </div>
    </section>
  );
}
