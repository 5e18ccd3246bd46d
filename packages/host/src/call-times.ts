import type { HostEventDetail } from "./host-event.ts";

/** A name is the view's own text, and telemetry has limits. */
const LONGEST_NAME = 128;
/** Calls that are timed at once; the bridge lets fewer be pending. */
const MOST = 256;

/** Times a view's tool calls by the messages that pass. */
export function timeCalls(
  emit: (event: HostEventDetail) => void,
): (from: "view" | "host", message: unknown) => void {
  const pending = new Map<unknown, { name: string; since: number }>();
  return (from, message) => {
    const { id, method, params, result, error } = Object(message);
    if (from === "view" && method === "tools/call" && id !== undefined && pending.size < MOST) {
      const name = String(Object(params).name).slice(0, LONGEST_NAME);
      pending.set(id, { name, since: performance.now() });
      return;
    }
    const call = from === "host" && method === undefined ? pending.get(id) : undefined;
    if (!call) return;
    pending.delete(id);
    const failed = Object(result).isError === true ? "tool-error" : "ok";
    const outcome = error ? "rejected" : failed;
    emit({
      type: "tool-call",
      name: call.name,
      outcome,
      duration: performance.now() - call.since,
    });
  };
}
