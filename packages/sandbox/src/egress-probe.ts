// Whether a browser honours `Connection-Allowlist` can only be learned in it: a version says nothing
// of builds and flags, and the header is a draft. So the Sandbox has a page that tries.

import { cspHash, randomName } from "./digest.ts";
import { answerHeaders, probeHeaders } from "./headers.ts";
import type { Origins } from "./origins.ts";
import { writePage } from "./page.ts";
import { PROBE_SCRIPT } from "./probe-script.ts";

/** What the page at `/egress` posts to the Host that frames it, once; silence means "partial". */
export interface EgressMessage {
  vitrine: "egress";
  /** Whether the browser holds Views to what they declared, WebRTC and mere look-ups included. */
  egress: "strict" | "partial";
  /** For a person, in words. */
  why: string;
}

/** The probe of one Sandbox. */
export interface EgressProbe {
  /** The page; each has an address of its own that its list forbids. */
  open(): Promise<Response>;
  /** What is at that address, for a browser that asks all the same, and for its reports. */
  answer(): Response;
}

/** Makes the probe; it keeps nothing, so opening it costs a Sandbox no room. */
export function createEgressProbe({ hosts, proxy, prefix, opaque }: Origins): EgressProbe {
  const scriptHash = cspHash(PROBE_SCRIPT);
  return {
    open: async () => {
      const address = `${proxy}${prefix}/egress/${randomName()}`;
      const placing = { hosts, scriptHash: await scriptHash, address, opaque };
      const settings = { hosts, origin: opaque ? "null" : proxy, address };
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
