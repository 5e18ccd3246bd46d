// The combined endpoint as one server: a pipeline of its own for the request as it arrived, which passes each
// call to the pipeline of exactly one server. No policy is decided here.

import {
  LEGACY_VERSION,
  MODERN_VERSION,
  SERVER_INFO_KEY,
} from "../../upstreams/frames/request-meta.ts";
import type { Caller } from "../caller.ts";
import { allowedMethodsCheck } from "../checks/allowed-methods.ts";
import { memberNamesCheck } from "../checks/member-names.ts";
import { metaCheck } from "../checks/meta.ts";
import type { Exchange } from "../exchange.ts";
import {
  type Answer,
  createPipeline,
  type Forwarder,
  type Pipeline,
  type PolicyCheck,
  type Recorder,
} from "../pipeline.ts";
import type { ServerBinding } from "../server-binding.ts";
import { CombinedSubscriptions } from "./combined-subscriptions.ts";
import { CombinedLists, LISTS } from "./lists.ts";
import { createParts } from "./parts.ts";
import { combinedResult } from "./rewriting.ts";
import { isRouted, type Routes, routeCheck } from "./route-check.ts";

/** The combined endpoint. */
export interface CombinedServer {
  readonly pipeline: Pipeline;
  /** Reports to subscribers that servers were added, changed or removed. */
  serversChanged(): void;
  close(): void;
}

/** The options of `createCombinedServer`. */
export interface CombinedServerOptions {
  /** The pipeline of single servers. */
  pipeline: Pipeline;
  /** The checks that don't depend on a server: the shape of the message, its caller and the caller's limits. */
  first: readonly PolicyCheck[];
  recorder: Recorder;
  /** All servers. */
  servers(): Iterable<ServerBinding>;
  maySee(caller: Caller, server: ServerBinding): boolean;
  /** Milliseconds that a list waits for one server. */
  listTime?: number | undefined;
}

const INSTRUCTIONS =
  "This server combines several servers. The name of a tool or prompt starts with the name of its server: server__tool.";
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
  extensions: { "io.modelcontextprotocol/ui": {} },
};
const INFO = { name: "vitrine-gateway", version: "0.1.0" };

/** Creates the combined endpoint. */
export function createCombinedServer(options: CombinedServerOptions): CombinedServer {
  const parts = createParts(options);
  const lists = new CombinedLists(parts, { time: options.listTime });
  const subscriptions = new CombinedSubscriptions(parts);
  const routes: Routes = new WeakMap();

  const forward: Forwarder["forward"] = async (exchange) => {
    const { method, id } = exchange.frame;
    if (id === undefined) return { message: undefined };
    const part = routes.get(exchange);
    if (part) {
      const { message, refusal } = await parts.run(exchange, part);
      if (refusal) return refusal;
      if (!message || !("result" in message)) return { message };
      const result = combinedResult(part.server.id, method, message.result);
      return { message: { ...message, result: result as object } };
    }
    if (LISTS.has(method)) return lists.serve(exchange);
    if (method === "subscriptions/listen") return subscriptions.serve(exchange);
    return own(exchange);
  };
  const pipeline = createPipeline(
    [
      ...options.first,
      memberNamesCheck,
      allowedMethodsCheck,
      metaCheck,
      routeCheck(routes, parts, lists),
    ],
    {
      forwarder: {
        forward,
        explain: (_exchange, error) => {
          throw error;
        },
      },
      recorder: ownRecorder(options.recorder),
    },
  );
  return {
    pipeline,
    serversChanged: () => subscriptions.serversChanged(),
    close: () => subscriptions.close(),
  };
}

/** Records what no server's pipeline records: refused requests, and those that the endpoint answers itself. */
function ownRecorder(recorder: Recorder): Recorder {
  return {
    admit: (exchange) => (isRouted(exchange.frame.method) ? undefined : recorder.admit(exchange)),
    refused: (exchange, link, refusal) => recorder.refused(exchange, link, refusal),
    answered: (exchange, outcome) =>
      isRouted(exchange.frame.method) ? undefined : recorder.answered(exchange, outcome),
  };
}

function own({ frame }: Exchange): Answer {
  const { method, params } = frame;
  const id = frame.id as string | number;
  const respond = (result: object): Answer => ({ message: { jsonrpc: "2.0", id, result } });
  if (method === "server/discover") {
    return respond({
      resultType: "complete",
      supportedVersions: [MODERN_VERSION],
      capabilities: CAPABILITIES,
      instructions: INSTRUCTIONS,
      ttlMs: 60_000,
      cacheScope: "public",
      _meta: { [SERVER_INFO_KEY]: INFO },
    });
  }
  if (method !== "initialize") return respond({});
  const { protocolVersion: requested } = Object(params) as { protocolVersion?: unknown };
  const protocolVersion =
    typeof requested === "string" && requested !== MODERN_VERSION ? requested : LEGACY_VERSION;
  // Resource updates would need a session.
  const capabilities = { ...CAPABILITIES, resources: { listChanged: true } };
  return respond({ protocolVersion, capabilities, serverInfo: INFO, instructions: INSTRUCTIONS });
}
