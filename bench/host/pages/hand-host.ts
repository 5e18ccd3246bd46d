import { HOST_INFO, TOOL_INPUT } from "../../view/pages/host-session.ts";
import { currentAnswer, FIRST_PARTIAL } from "./answer.ts";

/** The members of a message that a hand-written Host reads. */
export interface Incoming {
  id?: unknown;
  method?: string;
  params?: { protocolVersion?: string };
}

/** A hand-written Host, the lower bound for every variant: it answers the requests of the bench's Views. */
export interface HandHost {
  receive(message: Incoming): void;
  sendPartial(args: Record<string, unknown>): void;
}

/** Opens it on a way to send; it checks nothing at all. */
export function openHandHost(post: (message: object) => void, done: boolean): HandHost {
  const send = (message: object): void => post({ jsonrpc: "2.0", ...message });
  const notify = (name: string, params: object): void =>
    send({ method: `ui/notifications/${name}`, params });
  const sendPartial = (args: Record<string, unknown>): void =>
    notify("tool-input-partial", { arguments: args });
  return {
    receive: ({ id, method, params }) => {
      if (method === "tools/call") send({ id, result: currentAnswer() });
      else if (method === "ui/initialize") {
        const { protocolVersion } = params ?? {};
        const hostCapabilities = { serverTools: {} };
        const result = { protocolVersion, hostInfo: HOST_INFO, hostCapabilities, hostContext: {} };
        send({ id, result });
      } else if (method === "ui/notifications/initialized") {
        if (!done) return sendPartial(FIRST_PARTIAL);
        notify("tool-input", TOOL_INPUT);
        notify("tool-result", currentAnswer());
      }
    },
    sendPartial,
  };
}
