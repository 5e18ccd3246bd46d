import { AppBridge, PostMessageTransport } from "ext-apps-v2/app-bridge";
import { HOST_INFO, TOOL_INPUT } from "../../view/pages/host-session.ts";
import { currentAnswer, FIRST_PARTIAL } from "./answer.ts";
import { insertFrame, untilReady } from "./sandbox-frame.ts";
import type { OpenStack } from "./stack.ts";

/**
 * The official stack, step by step as in its example host: frame, ready, bridge, resource. Left out
 * of the example is what would only slow it down: its own logging, and the animation of sizes.
 */
export const openStack: OpenStack = ({ official }) => ({
  mount: (container, { html, done }) => {
    const frame = insertFrame(container, official);
    const sandbox = frame.contentWindow as Window;
    const bridge = new AppBridge(null, HOST_INFO, { serverTools: {} });
    const transport = new PostMessageTransport(sandbox, sandbox);
    bridge.oncalltool = async () => currentAnswer();
    bridge.onsizechange = ({ height }) => {
      if (height !== undefined) frame.style.height = `${height}px`;
    };
    bridge.oninitialized = () => {
      if (!done) return void bridge.sendToolInputPartial({ arguments: FIRST_PARTIAL });
      bridge.sendToolInput(TOOL_INPUT);
      bridge.sendToolResult(currentAnswer());
    };
    untilReady(frame)
      .then(() => bridge.connect(transport))
      .then(() => bridge.sendSandboxResourceReady({ html }));
    // Private in its types, and the only way to silence it: it logs every message of other Views.
    const { messageListener } = transport as unknown as { messageListener: EventListener };
    return {
      listen: (active) =>
        active
          ? addEventListener("message", messageListener)
          : removeEventListener("message", messageListener),
      sendPartial: (args) => void bridge.sendToolInputPartial({ arguments: args }),
      close: () => {
        bridge.close();
        frame.remove();
      },
    };
  },
});
