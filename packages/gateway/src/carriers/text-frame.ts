// Imported: the global `Buffer` is found through a getter each time.
import { Buffer } from "node:buffer";
import type { MessageText } from "../json-rpc/serialize.ts";

const FINAL_TEXT = 0x81;
const SHORT = 126;
const LONG = 2 ** 16;

/**
 * A text as one WebSocket frame, unmasked as a server sends it. `ws` writes the head and the text apart, which
 * costs a call a tenth more; nothing for texts that are long enough not to care.
 */
export function textFrame(text: MessageText): Buffer | undefined {
  const size = Buffer.byteLength(text);
  if (size >= LONG) return undefined;
  const head = size < SHORT ? 2 : 4;
  const frame = Buffer.allocUnsafe(head + size);
  frame[0] = FINAL_TEXT;
  if (head === 2) frame[1] = size;
  else {
    frame[1] = SHORT;
    frame.writeUInt16BE(size, 2);
  }
  frame.write(text, head);
  return frame;
}
