import { nextMessage } from "../../view/pages/probe-link.ts";
import { type HandHost, openHandHost } from "./hand-host.ts";
import { register } from "./registration.ts";
import { insertFrame } from "./sandbox-frame.ts";
import type { OpenStack } from "./stack.ts";

/**
 * Hand-written, through our own frames: our Sandbox, its relay and its port, without a check in the Host.
 * What our Host costs is the difference to this.
 */
export const openStack: OpenStack = () => ({
  mount: (container, { html, done }) => {
    let port: MessagePort | undefined;
    let frame: HTMLIFrameElement | undefined;
    const host: HandHost = openHandHost((message) => {
      port?.postMessage({ text: JSON.stringify(message) });
    }, done);
    const open = async (): Promise<void> => {
      const { proxyUrl } = await register({ html, server: "bench", resource: "ui://bench/dice" });
      frame = insertFrame(container, proxyUrl);
      const sandbox = frame.contentWindow;
      await nextMessage("the relay's port", (event) => {
        if (event.source !== sandbox) return false;
        port = event.ports[0];
        return true;
      });
      if (!port) return;
      // Messages without text are events of the relay itself.
      port.onmessage = ({ data: { text } }) => {
        if (text) host.receive(JSON.parse(text));
      };
    };
    open();
    return {
      listen: () => {},
      sendPartial: host.sendPartial,
      close: () => {
        port?.close();
        frame?.remove();
      },
    };
  },
});
