// What hosts are asked to show.

import type { Json } from "../json.ts";
import type { HostRequest, HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import type { ProbeOffer, ProbeResource, ProbeTool } from "../targets/probe-server.ts";
import { type ProbePlan, probeDocument } from "../targets/probe-view.ts";

/** Address of the probe view. */
export const VIEW = "ui://probe/view.html";

/** Part of an offer; the rest is a tool `show` with its view. */
export interface OfferParts {
  /** How the view behaves. */
  plan?: ProbePlan;
  /** `_meta.ui` of its content, and more of its resource. */
  served?: Json;
  resource?: Partial<ProbeResource>;
  /** More of the tool `show`. */
  show?: Partial<ProbeTool> & { meta?: Json };
  tools?: readonly ProbeTool[];
  resources?: readonly ProbeResource[];
  legacyOnly?: boolean;
}

/** A read-only tool, so that no host needs to ask. */
export function tool(name: string, more: Json = {}): ProbeTool["tool"] {
  return {
    name,
    description: `The tool ${name} of the conformance suite.`,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    ...more,
  };
}

/** A server with a tool `show` whose view is the probe. */
export function offer({
  plan,
  served,
  resource,
  show,
  tools = [],
  resources = [],
  legacyOnly,
}: OfferParts = {}): ProbeOffer {
  const { meta = { ui: { resourceUri: VIEW } }, ...rest } = show ?? {};
  return {
    tools: [{ tool: tool("show", { _meta: meta }), ...rest }, ...tools],
    resources: [
      {
        uri: VIEW,
        html: probeDocument({ greets: true, ...plan }),
        ...(served && { served }),
        ...resource,
      },
      ...resources,
    ],
    ...(legacyOnly && { legacyOnly }),
  };
}

/** Lets the host show this, and always closes it. */
export async function withHost<T>(
  target: HostTarget,
  { parts, ...request }: Omit<HostRequest, "offer"> & { parts?: OfferParts },
  use: (session: HostSession) => Promise<T>,
): Promise<T> {
  const session = await target.open({ offer: offer(parts), ...request });
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

/** Whether a response is a refusal: an error, or a result that is one. */
export function isRefusal(answer: Json | null): boolean {
  return answer !== null && (answer.error !== undefined || answer.result?.isError === true);
}
