import { refuse } from "../../errors/refusal.ts";
import { foldKey } from "../../json-rpc/folded-key.ts";
import type { PolicyCheck } from "../pipeline.ts";

interface FoldedMembers {
  readonly names: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
}

function foldMembers(names: readonly string[]): FoldedMembers {
  return { names: new Set(names), folded: new Set(names.map(foldKey)) };
}

const OF_MESSAGE = foldMembers(["jsonrpc", "id", "method", "params", "result", "error"]);
const OF_PARAMS = foldMembers([
  "_meta",
  "argument",
  "arguments",
  "capabilities",
  "clientInfo",
  "context",
  "cursor",
  "data",
  "inputResponses",
  "level",
  "logger",
  "message",
  "name",
  "notifications",
  "progress",
  "progressToken",
  "protocolVersion",
  "reason",
  "ref",
  "requestId",
  "requestState",
  "resultType",
  "task",
  "taskId",
  "total",
  "uri",
]);
const OF_META = foldMembers([
  "progressToken",
  "traceparent",
  "tracestate",
  "baggage",
  "io.modelcontextprotocol/protocolVersion",
  "io.modelcontextprotocol/clientInfo",
  "io.modelcontextprotocol/clientCapabilities",
  "io.modelcontextprotocol/logLevel",
  "io.modelcontextprotocol/subscriptionId",
  "io.modelcontextprotocol/related-task",
]);

/**
 * Rejects keys that differ from a member of the protocol only by case. Some parsers, such as Go's, read
 * `Arguments` as `arguments`, so the server would execute something that no check has seen.
 */
export const memberNamesCheck: PolicyCheck = {
  name: "members",
  run: ({ frame }) => {
    const { params } = frame;
    const key =
      findAmbiguousKey(frame, OF_MESSAGE) ??
      findAmbiguousKey(params, OF_PARAMS) ??
      findAmbiguousKey(params?._meta, OF_META);
    if (key === undefined) return undefined;
    const shown = JSON.stringify(key.slice(0, 40).toWellFormed());
    return refuse(
      "ambiguous",
      `The key ${shown} differs from another only by case, so servers may confuse them. Rename it.`,
    );
  },
};

/** The first key that folds to the same text as a member, or as another key, without being identical. */
function findAmbiguousKey(value: unknown, members: FoldedMembers): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const seen = new Set<string>();
  for (const key of Object.keys(value)) {
    if (members.names.has(key)) continue;
    const folded = foldKey(key);
    if (members.folded.has(folded) || seen.has(folded)) return key;
    seen.add(folded);
  }
  return undefined;
}
