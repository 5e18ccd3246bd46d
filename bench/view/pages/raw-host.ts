import { HOST_INFO, type HostSession, rollDice, TOOL_INPUT } from "./host-session.ts";

const CAPABILITIES = { serverTools: {} };

/** A hand-written Host, the lower bound: it answers the handshake and `tools/call`, and checks nothing more. */
export function connectRawHost(sandbox: Window, origin: string): HostSession {
  const send = (message: object): void =>
    sandbox.postMessage({ jsonrpc: "2.0", ...message }, origin);
  const notify = (name: string, params: object): void =>
    send({ method: `ui/notifications/${name}`, params });

  const receive = (event: MessageEvent): void => {
    // Source and origin before data, as in the View.
    if (event.source !== sandbox || event.origin !== origin) return;
    const { id, method, params } = event.data;
    if (method === "tools/call") {
      send({ id, result: rollDice() });
    } else if (method === "ui/initialize") {
      const { protocolVersion } = params;
      const hello = { protocolVersion, hostInfo: HOST_INFO, hostCapabilities: CAPABILITIES };
      send({ id, result: { ...hello, hostContext: {} } });
    } else if (method === "ui/notifications/initialized") {
      notify("tool-input", TOOL_INPUT);
      notify("tool-result", rollDice());
    }
  };
  const listen = (active: boolean): void =>
    active ? addEventListener("message", receive) : removeEventListener("message", receive);
  listen(true);
  return {
    sendPartial: (args) => notify("tool-input-partial", { arguments: args }),
    listen,
    close: () => listen(false),
  };
}
