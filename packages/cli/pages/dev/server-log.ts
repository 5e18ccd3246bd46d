import type { RecordedFrame } from "../../src/dev/recording.ts";
import type { LogEntry } from "./dev-state.ts";

const LONGEST = 4000;

/** The log entry in a message of the server, if it is one. */
export function serverLogOf({ from, message }: RecordedFrame): LogEntry | undefined {
  const { method, params } = Object(message) as { method?: unknown; params?: unknown };
  if (from !== "server" || method !== "notifications/message") return undefined;
  const { level, logger, data } = Object(params) as Record<string, unknown>;
  const text = typeof data === "string" ? data : (JSON.stringify(data) ?? "");
  return {
    level: String(level).slice(0, 20),
    text: text.slice(0, LONGEST),
    ...(typeof logger === "string" && { where: logger.slice(0, 100) }),
  };
}
