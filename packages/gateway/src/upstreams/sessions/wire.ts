import type { MessageText } from "../../json-rpc/serialize.ts";
import type { UpstreamError } from "../upstream.ts";

/** Carries messages between the gateway and one server for several callers. */
export interface Wire {
  /**
   * Called for each message. `about` is the request whose stream it came on, if the wire has separate
   * streams.
   */
  onmessage: (text: string, about?: number) => void;
  /** Called if the response to a request, or to all requests in progress, will not come. */
  onlost: (error: UpstreamError, id?: number) => void;
  /** Sends a message; `id` if it is a request. Rejects if it wasn't sent. */
  send(text: MessageText, id?: number): Promise<void>;
  /** Called when nobody waits for a request any more, because it was answered or its caller is gone. */
  forget(id: number, isAnswered: boolean): void;
  close(): Promise<void>;
  /** Ends the wire without a graceful shutdown, if that makes a difference. */
  kill?(): Promise<void>;
}
