import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import type { LogEntry } from "../dev-state.ts";
import { ScrollArea } from "./scroll-area.tsx";

/** Logs of view and server. */
export function Logs({ host }: { host: DevHost }): ReactNode {
  const { log, serverLog, stderr } = useFields(host.state, "log", "serverLog", "stderr");
  return (
    <ScrollArea className="logs" label="All logs">
      <h2>View log</h2>
      <Entries log={log} />
      <h2>Server log</h2>
      <Entries log={serverLog} />
      <h2>Server stderr</h2>
      {stderr ? <pre>{stderr}</pre> : <p className="empty">Empty</p>}
    </ScrollArea>
  );
}

function Entries({ log }: { log: readonly LogEntry[] }): ReactNode {
  if (log.length === 0) return <p className="empty">Empty</p>;
  return log.map(({ level, text, where }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they only grow at the end.
    <p key={index} className="entry" data-level={level}>
      <code>{level}</code> {text} {where && <span className="where">{where}</span>}
    </p>
  ));
}
