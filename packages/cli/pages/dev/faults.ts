// Simulates common failures: a view that handles these works for users.

import type { Upstream } from "@vitrine/host";
import type { CallToolResult } from "@vitrine/protocol/apps";

/** The simulated faults. */
export interface Faults {
  /** What happens to the tool's result. */
  result: "as it is" | "late" | "twice" | "empty" | "error" | "cancelled" | "never";
  /** The host sends no style variables. */
  noStyles: boolean;
  /** The host offers none of the server's tools. */
  noServerTools: boolean;
  /** Each response of the server takes two seconds longer. */
  slowServer: boolean;
  /** The server is unreachable. */
  lostConnection: boolean;
}

/** No faults. */
export const NO_FAULTS: Faults = {
  result: "as it is",
  noStyles: false,
  noServerTools: false,
  slowServer: false,
  lostConnection: false,
};

/** Labels of the result faults. */
export const RESULT_FAULTS: Record<Faults["result"], string> = {
  "as it is": "As sent by the server",
  late: "5 s late",
  twice: "Sent twice",
  empty: "Empty",
  error: "An error",
  cancelled: "Cancelled instead",
  never: "Never sent",
};

/** Delay of a late result in milliseconds. */
export const LATE = 5000;
const SLOW = 2000;

/** How many faults are on. */
export function countFaults(faults: Faults): number {
  return Object.entries(faults).filter(([name, value]) => value !== NO_FAULTS[name as keyof Faults])
    .length;
}

/** The server with these faults. */
export function faultyUpstream(upstream: Upstream, faults: () => Faults): Upstream {
  return {
    server: upstream.server,
    get capabilities() {
      return upstream.capabilities;
    },
    request: async (method, params, options) => {
      if (faults().lostConnection)
        throw new Error("The connection to the server is lost (simulated fault).");
      if (faults().slowServer) await wait(SLOW);
      return upstream.request(method, params, options);
    },
    onListChanged: (listener) => upstream.onListChanged(listener),
  };
}

/** The result with these faults. */
export function faultyResult(
  result: CallToolResult,
  { result: fault }: Pick<Faults, "result">,
): CallToolResult {
  if (fault === "empty") return { content: [] };
  if (fault !== "error") return result;
  return {
    isError: true,
    content: [{ type: "text", text: "The tool failed (simulated fault)." }],
  };
}

/** Waits. */
export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
