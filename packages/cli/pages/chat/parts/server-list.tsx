import { type ReactNode, useState } from "react";
import type { ServerState } from "../../../src/chat/page-state.ts";
import { useFields } from "../../store.ts";
import type { ChatPage } from "../chat-state.ts";

const WORDS = {
  starting: "Connecting…",
  ready: "Connected",
  failed: "Not connected",
  login: "Needs log-in",
} as const;

/** The servers and their states. */
export function ServerList({ page }: { page: ChatPage }): ReactNode {
  const { servers } = useFields(page.state, "servers");
  if (servers.length === 0) return null;
  return (
    <section className="servers" aria-label="Servers">
      <h2>Servers</h2>
      <ul>
        {servers.map((server) => (
          <ServerItem key={server.name} server={server} page={page} />
        ))}
      </ul>
    </section>
  );
}

function ServerItem({
  server: { name, status, reason },
  page,
}: {
  server: ServerState;
  page: ChatPage;
}): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const run = (work: Promise<unknown>): void => {
    setBusy(true);
    void work.finally(() => setBusy(false));
  };
  const logIn = async (): Promise<void> => {
    // Opened at once: a browser blocks a window that opens after a pause.
    const tab = window.open("about:blank", "_blank");
    const address = await page.api.logIn(name).catch(() => undefined);
    if (!tab) return;
    if (address === undefined) tab.close();
    else {
      tab.opener = null;
      tab.location.href = address;
    }
  };
  return (
    <li data-testid="server" data-status={status}>
      <div className="server-line">
        <span className="dot" aria-hidden="true" />
        <span className="server-name">{name}</span>
        <span className="quiet">{WORDS[status]}</span>
      </div>
      {status === "failed" && (
        <>
          {reason && (
            <details>
              <summary>Why</summary>
              <pre>{reason}</pre>
            </details>
          )}
          <button
            type="button"
            className="small"
            disabled={isBusy}
            onClick={() => run(page.api.retryServer(name))}
          >
            Try again
          </button>
        </>
      )}
      {status === "login" && (
        <button type="button" className="small" disabled={isBusy} onClick={() => run(logIn())}>
          Log in
        </button>
      )}
    </li>
  );
}
