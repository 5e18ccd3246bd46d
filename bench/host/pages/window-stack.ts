import { openHandHost } from "./hand-host.ts";
import { insertFrame, untilReady } from "./sandbox-frame.ts";
import { RESOURCE_READY } from "./sandbox-methods.ts";
import type { OpenStack } from "./stack.ts";

/** Hand-written, over window messages through a relay that checks nothing (`raw double`). */
export const openStack: OpenStack = ({ lean }) => {
  const { origin } = new URL(lean);
  return {
    mount: (container, { html, done }) => {
      const frame = insertFrame(container, lean);
      const sandbox = frame.contentWindow as Window;
      const host = openHandHost((message) => sandbox.postMessage(message, origin), done);
      const receive = (event: MessageEvent): void => {
        // Source and origin before data: Chromium clones lazily.
        if (event.source === sandbox && event.origin === origin) host.receive(event.data);
      };
      const listen = (active: boolean): void =>
        active ? addEventListener("message", receive) : removeEventListener("message", receive);
      listen(true);
      untilReady(frame).then(() =>
        sandbox.postMessage({ jsonrpc: "2.0", method: RESOURCE_READY, params: { html } }, origin),
      );
      return {
        listen,
        sendPartial: host.sendPartial,
        close: () => {
          listen(false);
          frame.remove();
        },
      };
    },
  };
};
