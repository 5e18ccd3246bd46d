import { ownRequest, QUIET_IDENTITY } from "../upstreams/frames/request-meta.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { type Catalogue, createCatalogue } from "./catalogue.ts";
import type { ServerSettings } from "./server-binding.ts";
import { scopeFor } from "./server-request.ts";
import type { ToolReview } from "./tool-approvals.ts";

/** The catalogue of a server, which the gateway reads with its own requests. */
export function catalogueOf(
  upstream: Upstream,
  settings: ServerSettings,
  review: ToolReview,
): Catalogue {
  let id = 0;
  const { deadline } = settings;
  return createCatalogue(async (method, cursor, caller) => {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await upstream.send({
      message: ownRequest(`catalogue-${++id}`, method, params, QUIET_IDENTITY),
      // No caller's signal here: several callers may share this response.
      signal: AbortSignal.timeout(deadline),
      deadline,
      scope: scopeFor(caller, settings),
    });
    return "result" in answer.message
      ? (Object(answer.message.result) as Record<string, unknown>)
      : {};
  }, review);
}
