// Only a test in the browser shows whether it supports `Connection-Allowlist`: a version number
// doesn't cover builds and flags, and the header is a draft. So the Sandbox has a page that tests
// it.

import { cspHash, randomName } from "./digest.ts";
import { answerHeaders, probeHeaders } from "./headers.ts";
import type { Origins } from "./origins.ts";
import { writePage } from "./page.ts";
import { PROBE_SCRIPT } from "./probe-script.ts";
import type { Embedders } from "./view-registry.ts";

/** What the page at `/egress` posts to the Host that frames it, once; no message means "partial". */
export interface EgressMessage {
  vitrine: "egress";
  /** Whether the browser restricts Views to the addresses they declared, including WebRTC and DNS queries. */
  egress: "strict" | "partial";
  /** The reason, for a person. */
  why: string;
}

/** The probe of one Sandbox. */
export interface EgressProbe {
  /** The page; each one has its own address that its list forbids. */
  open(embedders: Embedders): Promise<Response>;
  /** The response at that address, for a browser that requests it anyway, and for its reports. */
  answer(): Response;
}

/** Creates the probe. It is stateless, so opening it uses no storage. */
export function createEgressProbe({ proxy, prefix, opaque }: Origins): EgressProbe {
  const scriptHash = cspHash(PROBE_SCRIPT);
  return {
    open: async (embedders) => {
      const address = `${proxy}${prefix}/egress/${randomName()}`;
      const { hosts } = embedders;
      const placing = { hosts, scriptHash: await scriptHash, address, opaque };
      const settings = { ...embedders, origin: opaque ? "null" : proxy, address };
      return new Response(writePage(settings, PROBE_SCRIPT), { headers: probeHeaders(placing) });
    },
    answer: () => {
      // Open to a page without an origin: were its request refused for that, the list would seem to
      // be what refused it.
      const headers = { ...answerHeaders(), "cross-origin-resource-policy": "cross-origin" };
      return new Response(null, { status: 204, headers });
    },
  };
}
