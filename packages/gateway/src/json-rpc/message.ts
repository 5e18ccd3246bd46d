/** A request or notification of a caller: the parsed value itself, unknown members included. */
export interface CallerMessage {
  jsonrpc: "2.0";
  /** Absent in a notification. */
  id?: string | number;
  method: string;
  params?: Record<string, unknown>;
  [member: string]: unknown;
}

/** A message that expects a response. */
export type RequestMessage = CallerMessage & { id: string | number };
