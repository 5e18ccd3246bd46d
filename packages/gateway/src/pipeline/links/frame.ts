import { isRequestId } from "@vitrine/protocol";
import { decideSize, LIMITS } from "@vitrine/protocol/apps";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  OPEN_BRACE,
  OPEN_BRACKET,
} from "../../upstreams/frames/json-text.ts";
import type { Exchange, Frame } from "../exchange.ts";
import type { Link } from "../pipeline.ts";
import { type Refusal, refuse } from "../refusal.ts";

const LONGEST_ID = 128;
const LONGEST_METHOD = 128;
// Below this a text cannot hold enough to matter; counting its values would cost more than reading it.
const SMALL = 16 * 1024;
const DEEPEST_SMALL = 64;

/** Reads the message: one request or notification, small and flat enough to be looked at. */
export function frameLink({ size = LIMITS.fromView.size }: { size?: number } = {}): Link {
  return {
    name: "frame",
    run: (exchange) => {
      if (exchange.text.length > size) {
        return refuse("too-large", `The message has more than ${size} characters; send less.`);
      }
      const frame = readFrame(exchange, size);
      if ("code" in frame) return frame;
      exchange.frame = frame;
      return undefined;
    },
  };
}

function readFrame({ text, message }: Exchange, size: number): Frame | Refusal {
  if (message === undefined) {
    return refuse("malformed", "The message is not JSON; send one JSON-RPC 2.0 object.");
  }
  const { jsonrpc, id, method, params } = Object(message);
  if (jsonrpc !== "2.0" || typeof method !== "string" || method.length > LONGEST_METHOD) {
    return refuse("malformed", "The message is no JSON-RPC 2.0 request; batches are not taken.");
  }
  if (id !== undefined && (!isRequestId(id) || `${id}`.length > LONGEST_ID)) {
    return refuse("malformed", `The id must be a number or at most ${LONGEST_ID} characters.`);
  }
  if (params !== undefined && (typeof params !== "object" || !params || Array.isArray(params))) {
    return refuse("malformed", "params must be an object.");
  }
  if (text.length > SMALL || isDeep(text)) {
    const sized = decideSize(message, { ...LIMITS.fromView, size });
    if (!sized.allow) return refuse("too-large", sized.reason);
  }
  return toFrame(method, id, params);
}

function toFrame(method: string, id: Frame["id"], params: Frame["params"]): Frame {
  const frame: Frame = { method };
  if (id !== undefined) frame.id = id;
  if (params) frame.params = params;
  return frame;
}

/**
 * Whether a text may nest too deep to be small: brackets in strings count as well. That few open so many at
 * all is found out at a quarter of the price of the loop.
 */
function isDeep(text: string): boolean {
  if (!hasManyBrackets(text)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code === OPEN_BRACE || code === OPEN_BRACKET) && ++depth > DEEPEST_SMALL) return true;
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return false;
}

function hasManyBrackets(text: string): boolean {
  let left = DEEPEST_SMALL;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (--left < 0) return true;
    }
  }
  return false;
}
