import { SANDBOX_PROXY_READY_METHOD, SANDBOX_RESOURCE_READY_METHOD } from "@vitrine/protocol/apps";
import { CREDENTIAL_HEADER, TOKEN_HEADER } from "../registration-headers.ts";
import { postLog } from "./host-link.ts";
import { showNotice } from "./notice.ts";
import type { EntrancePage } from "./page-settings.ts";

/**
 * The entry page for a Host without our server code, or with only the specification's protocol. It
 * registers the View and navigates to its page in the same window, so the Host keeps the same
 * partner.
 */
export function openEntrance({ token }: EntrancePage, host: string): void {
  const receive = (event: MessageEvent): void => {
    // Before the data: any window that can reach us may post (SBX-15).
    if (event.source !== parent) return;
    if (WITHOUT !== "origin" && event.origin !== host) return;
    if (event.data?.method !== SANDBOX_RESOURCE_READY_METHOD) return;
    // Once: a second resource would be a second View under the first one's grant.
    removeEventListener("message", receive);
    enter(event.data.params, { token, host }).catch(({ message }: Error) => {
      const reason = `The sandbox rejected it: ${message}`;
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

/** Registers the View and navigates to its page; the address contains none of its content. */
async function enter(
  params: unknown,
  { token, host }: { token: string; host: string },
): Promise<void> {
  const { html, csp, permissions, sandbox, vitrine } = Object(params);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    [TOKEN_HEADER]: token,
  };
  const credential = vitrine?.credential;
  if (credential !== undefined) headers[CREDENTIAL_HEADER] = credential;
  const response = await fetch("views", {
    method: "POST",
    credentials: "omit",
    headers,
    body: JSON.stringify({ html, csp, permissions, sandbox, vitrine, host }),
  });
  if (!response.ok) throw new Error((await response.text()).slice(0, LONGEST_REASON));
  // `replace`: the entrance leaves no entry in the history that the View could go back to.
  location.replace((await response.json()).path);
}
