// Tells a server which user a request is for: a signed header that is valid for a minute, for this server only.
// The server checks it with the gateway's public keys.

import { randomUUID } from "node:crypto";
import type { UpstreamScope } from "../../upstreams/upstream.ts";
import type { SigningKeys } from "../signing-keys.ts";

/** The options of `createAssertions`. */
export interface AssertionsOptions {
  /** The gateway's public address. */
  issuer: string;
  /** The server. */
  audience: string;
  keys: SigningKeys;
  /** The name of the header. */
  header?: string | undefined;
  clock?: () => number;
}

/** The default name of the header. */
export const IDENTITY_HEADER = "vitrine-identity";
/** The type of the tokens, so that no other token of the same key is taken for one. */
export const IDENTITY_TYPE = "vitrine-identity+jwt";
/** Seconds. */
const LIFETIME = 60;

/** Creates the headers of each request. */
export function createAssertions(
  options: AssertionsOptions,
): (scope: UpstreamScope) => Record<string, string> {
  const { issuer, audience, keys, header = IDENTITY_HEADER, clock = Date.now } = options;
  return ({ tenant, user, groups }) => {
    // The gateway's own requests are for nobody.
    if (user === "") return {};
    const now = Math.floor(clock() / 1000);
    const claims = {
      ...{ iss: issuer, aud: audience, sub: user, tenant, act: { sub: issuer } },
      ...{ iat: now, exp: now + LIFETIME, jti: randomUUID() },
      ...(groups && { groups }),
    };
    return { [header]: keys.sign(claims, { typ: IDENTITY_TYPE }) };
  };
}
