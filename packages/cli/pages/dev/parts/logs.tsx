import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { ScrollArea } from "./scroll-area.tsx";

/** Logs of view and server. */
export function Logs({ host }: { host: DevHost }): ReactNode {
  const { log, stderr } = useFields(host.state, "log", "stderr");
  return (
    <ScrollArea className="logs" label="All logs">
      <h2>View log</h2>
      {log.length === 0 && <p className="empty">Empty</p>}
      {log.map(({ level, text, where }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they only grow at the end.
        <p key={index} className="entry" data-level={level}>
          <code>{level}</code> {text} {where && <span className="where">{where}</span>}
        </p>
      ))}
      <h2>Server stderr</h2>
      {stderr ? <pre>{stderr}</pre> : <p className="empty">Empty</p>}
    </ScrollArea>
  );
}
