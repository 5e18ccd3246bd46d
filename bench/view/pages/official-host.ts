import { AppBridge, PostMessageTransport } from "ext-apps-v2/app-bridge";
import { HOST_INFO, type HostSession, rollDice, TOOL_INPUT } from "./host-session.ts";

/** The official Host: `AppBridge` without an MCP client, so that no server is measured. */
export function connectOfficialHost(sandbox: Window): HostSession {
  const bridge = new AppBridge(null, HOST_INFO, { serverTools: {} });
  bridge.oncalltool = async () => rollDice();
  bridge.oninitialized = () => {
    bridge.sendToolInput(TOOL_INPUT);
    bridge.sendToolResult(rollDice());
  };
  const transport = new PostMessageTransport(sandbox, sandbox);
  bridge.connect(transport);
  // Private in its types, and the only way to silence it: it logs every message of other Views.
  const { messageListener } = transport as unknown as { messageListener: EventListener };
  return {
    listen: (active) =>
      active
        ? addEventListener("message", messageListener)
        : removeEventListener("message", messageListener),
    sendPartial: (args) => void bridge.sendToolInputPartial({ arguments: args }),
    close: () => void bridge.close(),
  };
}
