import { isRequestId } from "@vitrine/protocol";
import { LIMITS } from "@vitrine/protocol/apps";
import { type Refusal, refuse } from "../../errors/refusal.ts";
import type { CallerMessage } from "../../json-rpc/message.ts";
import type { Exchange } from "../exchange.ts";
import type { PolicyCheck } from "../pipeline.ts";
import { describePath, findUnfitValue, type UnfitValue } from "../unfit-value.ts";

const LONGEST_ID = 128;
const LONGEST_METHOD = 128;

/** Accepts one request or notification of bounded size that every parser reads the same way. */
export function messageShapeCheck({
  size = LIMITS.fromView.size,
}: {
  size?: number;
} = {}): PolicyCheck {
  return {
    name: "frame",
    run: (exchange) => {
      if (exchange.size > size) {
        return refuse("too-large", `The message has more than ${size} characters. Send less.`);
      }
      const frame = readFrame(exchange);
      if (isRefusal(frame)) return frame;
      exchange.frame = frame;
      return undefined;
    },
  };
}

function readFrame({ message }: Exchange): CallerMessage | Refusal {
  if (message === undefined) {
    return refuse(
      "malformed",
      "The message isn't valid JSON or is nested too deeply. Send one JSON-RPC 2.0 object.",
    );
  }
  const { jsonrpc, id, method, params, result, error } = Object(message);
  if (jsonrpc !== "2.0" || typeof method !== "string" || method.length > LONGEST_METHOD) {
    return refuse(
      "malformed",
      "The message isn't a JSON-RPC 2.0 request. Batches aren't supported.",
    );
  }
  if (result !== undefined || error !== undefined) {
    return refuse("malformed", "A request can't have a result or an error.");
  }
  if (id !== undefined && (!isRequestId(id) || `${id}`.length > LONGEST_ID)) {
    return refuse(
      "malformed",
      `The id must be a number, or a string of at most ${LONGEST_ID} characters.`,
    );
  }
  if (params !== undefined && (typeof params !== "object" || !params || Array.isArray(params))) {
    return refuse("malformed", "params must be an object.");
  }
  const unfit = findUnfitValue(message, LIMITS.fromView);
  return unfit ? refuseValue(unfit) : (message as CallerMessage);
}

// A message may have a member `code`, but only a refusal lacks `jsonrpc`.
function isRefusal(frame: CallerMessage | Refusal): frame is Refusal {
  return !("jsonrpc" in frame);
}

function refuseValue({ kind, path }: UnfitValue): Refusal {
  const { depth, values } = LIMITS.fromView;
  const where = describePath(path);
  switch (kind) {
    case "depth":
      return refuse("too-large", `${where}: nested more than ${depth} levels deep. Send less.`);
    case "values":
      return refuse(
        "too-large",
        `${where}: the message has more than ${values} values. Send less.`,
      );
    case "number":
      return refuse(
        "malformed",
        `${where}: the number doesn't fit a 64-bit float, so servers may read it differently. Send it as a string.`,
      );
    case "surrogate":
      return refuse(
        "malformed",
        `${where}: the text has half of a surrogate pair, which servers read differently. Send whole characters.`,
      );
  }
}
