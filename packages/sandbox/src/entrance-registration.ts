import type { CheckedCredential } from "./credential.ts";
import { sandboxError } from "./errors.ts";
import type { ViewIdentity } from "./origins.ts";
import { ownValue } from "./own-properties.ts";

/** What our host adds to a resource. Any page can send it, so it is used for diagnostics only. */
export interface EntranceClaim extends ViewIdentity {
  hold?: boolean;
  /** `_meta.ui.domain`. */
  domain?: string;
}

/** A Host's registration; only the types of `vitrine` are checked. */
export interface EntranceRegistration {
  html: string;
  csp?: unknown;
  permissions?: unknown;
  sandbox?: string;
  /** Absent from a Host that implements only the specification. Not verified. */
  vitrine?: EntranceClaim;
  /** The View's identity according to a valid credential. */
  identity?: ViewIdentity;
  /** The page that embeds the entrance, as the entrance found it. Not verified. */
  host?: string;
}

const LONGEST_NAME = 2048;

/** Checked here, because `authorize` receives it and diagnostics repeat it. */
function readClaim(value: unknown): EntranceClaim | undefined {
  if (value === undefined) return undefined;
  const claim: Record<string, string> = {};
  for (const key of ["server", "resource", "tenant", "user"]) {
    const name = ownValue(value, key);
    if (name === undefined && (key === "tenant" || key === "user")) continue;
    if (typeof name !== "string" || name.length > LONGEST_NAME) {
      throw sandboxError("bad-identity", `vitrine.${key}`);
    }
    claim[key] = name;
  }
  const hold = ownValue(value, "hold") === true;
  const domain = ownValue(value, "domain");
  return {
    ...(claim as unknown as ViewIdentity),
    ...(hold && { hold }),
    ...(typeof domain === "string" && { domain: domain.slice(0, LONGEST_NAME) }),
  };
}

/** The registration in a body; `undefined` if it has no document. */
export function readRegistration(
  body: unknown,
  credential: CheckedCredential | undefined,
): EntranceRegistration | undefined {
  const html = ownValue(body, "html");
  const sandbox = ownValue(body, "sandbox");
  const host = ownValue(body, "host");
  if (typeof html !== "string") return undefined;
  const vitrine = readClaim(ownValue(body, "vitrine"));
  return {
    html,
    csp: ownValue(body, "csp"),
    permissions: ownValue(body, "permissions"),
    ...(typeof sandbox === "string" && { sandbox }),
    ...(vitrine && { vitrine }),
    ...(typeof host === "string" && host.length <= LONGEST_NAME && { host }),
    ...(credential && { identity: credential.identity }),
  };
}
