import { SANDBOX_PROXY_READY_METHOD, SANDBOX_RESOURCE_READY_METHOD } from "@vitrine/protocol/apps";
import { postLog } from "./host-link.ts";
import { showNotice } from "./notice.ts";
import type { EntrancePage } from "./page-settings.ts";

/**
 * Where a Host comes in that has no server side of ours, or knows only the specification. It gets
 * the View's page from the server and moves on to it in the same window, which for the Host is still
 * the same partner.
 */
export function openEntrance({ token }: EntrancePage, host: string): void {
  const receive = (event: MessageEvent): void => {
    // Before the data: any window that can reach us may post (SBX-15).
    if (event.source !== parent) return;
    if (WITHOUT !== "origin" && event.origin !== host) return;
    if (event.data?.method !== SANDBOX_RESOURCE_READY_METHOD) return;
    // Once: a second resource would be a second View under the first one's grant.
    removeEventListener("message", receive);
    enter(event.data.params, token).catch(({ message }: Error) => {
      const reason = `The sandbox refused it: ${message}`;
      showNotice({ title: "This app cannot be shown", reason });
      postLog(host, "error", { code: "not-registered", detail: message });
    });
  };
  addEventListener("message", receive);
  // Only now, and once: from here on the resource can be received (SBX-03).
  const ready = { jsonrpc: "2.0", method: SANDBOX_PROXY_READY_METHOD, params: {} };
  parent.postMessage(ready, host);
}

const LONGEST_REASON = 200;

/** Registers the View and goes to its page; nothing of it is in the address. */
async function enter(params: unknown, token: string): Promise<void> {
  const { html, csp, permissions, sandbox, vitrine } = Object(params);
  const response = await fetch("views", {
    method: "POST",
    credentials: "omit",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ html, csp, permissions, sandbox, vitrine, token }),
  });
  if (!response.ok) throw new Error((await response.text()).slice(0, LONGEST_REASON));
  // `replace`: the entrance leaves no entry in the history that the View could go back to.
  location.replace((await response.json()).path);
}
