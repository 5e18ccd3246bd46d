// What goes wrong in the field, on purpose: a View that bears these is a View that people can use.

import type { Upstream } from "@vitrine/host";
import type { CallToolResult } from "@vitrine/protocol/apps";

/** What is wrong. */
export interface Faults {
  /** What becomes of the tool's result. */
  result: "as it is" | "late" | "twice" | "empty" | "error" | "cancelled" | "never";
  /** The Host tells no style variables. */
  noStyles: boolean;
  /** The Host offers no tools of the server. */
  noServerTools: boolean;
  /** Each answer of the server takes two seconds more. */
  slowServer: boolean;
  /** The server cannot be reached. */
  lostConnection: boolean;
}

/** Nothing is. */
export const NO_FAULTS: Faults = {
  result: "as it is",
  noStyles: false,
  noServerTools: false,
  slowServer: false,
  lostConnection: false,
};

/** What can become of a result, in words. */
export const RESULT_FAULTS: Record<Faults["result"], string> = {
  "as it is": "As the server sent it",
  late: "5 s late",
  twice: "Sent twice",
  empty: "Without content",
  error: "An error",
  cancelled: "Cancelled instead",
  never: "Never sent",
};

/** Milliseconds of a late result. */
export const LATE = 5000;
const SLOW = 2000;

/** How many faults are on. */
export function countFaults(faults: Faults): number {
  return Object.entries(faults).filter(([name, value]) => value !== NO_FAULTS[name as keyof Faults])
    .length;
}

/** The server as it is reached with these faults. */
export function faultyUpstream(upstream: Upstream, faults: () => Faults): Upstream {
  return {
    server: upstream.server,
    get capabilities() {
      return upstream.capabilities;
    },
    request: async (method, params, options) => {
      if (faults().lostConnection)
        throw new Error("The connection to the server is lost (a fault that is switched on).");
      if (faults().slowServer) await wait(SLOW);
      return upstream.request(method, params, options);
    },
    onListChanged: (listener) => upstream.onListChanged(listener),
  };
}

/** The result as it arrives with these faults. */
export function faultyResult(
  result: CallToolResult,
  { result: fault }: Pick<Faults, "result">,
): CallToolResult {
  if (fault === "empty") return { content: [] };
  if (fault !== "error") return result;
  return {
    isError: true,
    content: [{ type: "text", text: "The tool failed (a fault that is switched on)." }],
  };
}

/** Waits. */
export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
