import type { MessageText } from "../../json-rpc/serialize.ts";
import type { UpstreamError } from "../upstream.ts";

/** Carries messages between the gateway and one server that several callers share. */
export interface Wire {
  /** A message came; `about` is the request on whose stream it did, where the wire tells them apart. */
  onmessage: (text: string, about?: number) => void;
  /** The answer to a request, or to all that are under way, will not come. */
  onlost: (error: UpstreamError, id?: number) => void;
  /** Sends a message; `id` if it is a request. Rejects if it did not leave. */
  send(text: MessageText, id?: number): Promise<void>;
  /** Nobody waits for this request any more, because the answer is there or the caller gone. */
  forget(id: number, isAnswered: boolean): void;
  close(): Promise<void>;
  /** Ends it without a farewell, where that makes a difference. */
  kill?(): Promise<void>;
}
