import { type ReactNode, useState } from "react";
import type { ServerLoginState } from "../../../src/dev/page-protocol.ts";
import type { DevHost } from "../dev-host.ts";

/** Opens the page of the authorization server in a new tab. */
export function LoginButton({
  host,
  login: { server, isNeeded, isLoggedIn },
}: {
  host: DevHost;
  login: ServerLoginState;
}): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const logIn = async (): Promise<void> => {
    setBusy(true);
    // Opened at once: a browser blocks a window that opens after a pause.
    const tab = window.open("about:blank", "_blank");
    const address = await host.logIn(server).catch(() => undefined);
    setBusy(false);
    if (!tab) return;
    if (address === undefined) tab.close();
    else {
      tab.opener = null;
      tab.location.href = address;
    }
  };
  return (
    <button
      type="button"
      className={isNeeded ? "run" : "plain"}
      disabled={isBusy}
      onClick={() => void logIn()}
    >
      {isLoggedIn ? "Log in again" : "Log in"}
    </button>
  );
}
