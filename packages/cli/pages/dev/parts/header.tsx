import type { ReactNode } from "react";
import type { ServerStatus } from "../../../src/dev/page-protocol.ts";
import { useMedia } from "../../media.ts";
import { useFields, useStore } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { SECTIONS } from "../sections.tsx";
import { Icon } from "./icon.tsx";
import { ServerPicker } from "./server-picker.tsx";
import { TabList } from "./tab-list.tsx";

const STATES: Record<ServerStatus["state"], string> = {
  ready: "Ready",
  starting: "Starting",
  login: "Needs log-in",
  failed: "Failed to start",
  gone: "Ended",
  replayed: "Recording",
};

/** The server's name and status, and the tabs of the sections. */
export function Header({
  host,
  section,
  panel,
  onSelect,
}: {
  host: DevHost;
  section: string;
  /** The id of the element that the tabs switch. */
  panel: string;
  onSelect(id: string): void;
}): ReactNode {
  const { status, reloads, replay, buildErrors } = useFields(
    host.state,
    "status",
    "reloads",
    "replay",
    "buildErrors",
  );
  const isStale = status?.state === "ready" && buildErrors.length > 0;
  return (
    <header className="top">
      <h1>
        <span className="brand">vitrine dev</span>
        <span className="server" title={status?.target}>
          {status?.name ?? "…"}
        </span>
      </h1>
      <ServerPicker host={host} />
      <Sections host={host} section={section} panel={panel} onSelect={onSelect} />
      {status && (
        <>
          <span className="era" title="Protocol era that client and server negotiated">
            {status.version && `${status.version} · `}MCP{" "}
            {status.era === "modern" ? "2026-07-28" : "2025-11-25"}
          </span>
          <span className="status" data-state={isStale ? "failed" : status.state} role="status">
            {isStale ? "Build failed" : STATES[status.state]}
          </span>
        </>
      )}
      {reloads > 0 && (
        <span className="quiet">{reloads === 1 ? "1 reload" : `${reloads} reloads`}</span>
      )}
      {replay && <Replay {...replay} />}
      <span className="gap" />
      {status?.canRestart && (
        <button type="button" className="plain" onClick={() => void host.restartServer()}>
          Restart<span className="roomy"> server</span>
        </button>
      )}
      <button type="button" className="plain" onClick={() => void download(host)}>
        Save<span className="roomy"> recording</span>
      </button>
      <PageTheme host={host} />
      {status?.reason && (
        <pre className="reason" role="alert">
          {status.reason}
        </pre>
      )}
    </header>
  );
}

function PageTheme({ host }: { host: DevHost }): ReactNode {
  const { theme } = useFields(host.layout, "theme");
  const isSystemDark = useMedia("(prefers-color-scheme: dark)");
  const isDark = theme === "system" ? isSystemDark : theme === "dark";
  const other = isDark ? "light" : "dark";
  const themeLabel = isDark ? "Light page theme" : "Dark page theme";
  return (
    <button
      type="button"
      className="icon"
      aria-label={themeLabel}
      title={themeLabel}
      // What the system has stays free to change.
      onClick={() =>
        host.layout.set({ theme: (other === "dark") === isSystemDark ? "system" : other })
      }
    >
      <Icon name={isDark ? "sun" : "moon"} />
    </button>
  );
}

function Sections({ host, section, panel, onSelect }: Parameters<typeof Header>[0]): ReactNode {
  useStore(host.state);
  const tabs = SECTIONS.filter(({ isAvailable }) => isAvailable?.(host) ?? true);
  // A single tab can't be switched.
  if (tabs.length < 2) return null;
  return (
    <TabList name="Sections" tabs={tabs} selected={section} panel={panel} onSelect={onSelect} />
  );
}

function Replay({
  total,
  done,
  verdict,
}: {
  total: number;
  done: number;
  verdict?: { same: boolean; messages: number; words?: string };
}): ReactNode {
  if (!verdict) {
    return (
      <span className="quiet" role="status">
        Replaying {Math.min(done + 1, total)} of {total}
      </span>
    );
  }
  return (
    <span className="verdict" data-same={verdict.same} role="status" title={verdict.words}>
      {verdict.same ? `Replay matches, ${verdict.messages} messages` : "Replay differs"}
    </span>
  );
}

async function download(host: DevHost): Promise<void> {
  const text = `${JSON.stringify(await host.recording(), null, 1)}\n`;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `vitrine-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, "-")}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
