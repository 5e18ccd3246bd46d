import type { McpUiResourceCsp } from "@vitrine/protocol/apps";
import { sandboxError } from "./errors.ts";
import type { PermissionOptions } from "./permissions-policy.ts";
import { parseSource, type SourceOptions } from "./source.ts";

const MOST_FONTS = 4;

/** A list of domains in `_meta.ui.csp`. */
export type DomainList = keyof McpUiResourceCsp;

/** A domain in a list that the operator or the user approved, as `needsConsent` names it. */
export interface Approval {
  list: DomainList;
  source: string;
}

/** What an operator allows all Views, or one. */
export interface OperatorPolicy extends SourceOptions, PermissionOptions {
  /** When present, only these names and those below them can be granted. */
  allowDomains?: readonly string[];
  /** Never granted, nor any name below them. */
  blockDomains?: readonly string[];
  /** Approved nested frames and wildcards; others are left out. */
  approved?: readonly Approval[];
  /** Let Views use `eval`. */
  unsafeEval?: boolean;
  /** Let Views use WebRTC, which reaches any address and so bypasses every list of domains. */
  webrtc?: boolean;
  /**
   * Origins of the fonts and style sheets in `styles.css.fonts` of the host context, at most four. All
   * Views may load fonts and style sheets from there, so they can also send data there. None by default.
   */
  hostFonts?: readonly string[];
  /** Without declared `baseUriDomains`: `'none'`, or `'self'` as in the specification. */
  baseUri?: "none" | "self";
}

/** The policy, after each name in it was validated; a misspelt block list would block nothing. */
export function checkNames(policy: OperatorPolicy): OperatorPolicy {
  const { allowDomains = [], blockDomains = [], internalDomains = [], ownDomains = [] } = policy;
  for (const name of [...allowDomains, ...blockDomains, ...internalDomains, ...ownDomains]) {
    if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[0-9]+)?$/.test(name)) {
      throw sandboxError("bad-domain", name);
    }
  }
  const { hostFonts = [], dev = false } = policy;
  if (hostFonts.length > MOST_FONTS) throw sandboxError("bad-fonts", `${hostFonts.length} origins`);
  for (const origin of hostFonts) {
    const parsed = parseSource(origin, { dev });
    const isExact = parsed.ok && !parsed.source.wildcard && parsed.source.text === origin;
    if (!isExact || !/^https?:/.test(origin)) throw sandboxError("bad-fonts", origin);
  }
  return policy;
}
