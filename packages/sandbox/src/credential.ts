// A credential identifies the View that a page may register. The host's server or the gateway
// issues it, so the Sandbox doesn't have to trust the page: a page, or a program that imitates one,
// can claim any name.

import { base32, equalsInConstantTime, randomName, type Signer } from "./digest.ts";
import { sandboxError } from "./errors.ts";
import type { ViewIdentity } from "./origins.ts";
import { isRecord, ownValue } from "./own-properties.ts";
import { parseJson } from "./request-body.ts";

/** How a credential is limited, beyond the one View and the one use. */
export interface CredentialOptions {
  /** The page that may embed the View; any configured host by default. */
  host?: string;
  /** Milliseconds until it expires; one minute by default, ten at most. */
  lifetime?: number;
}

/** A credential that is authentic and hasn't expired. */
export interface CheckedCredential {
  /** Recorded when the credential is used, since it may be used once. */
  id: string;
  /** When it expires, in milliseconds. */
  until: number;
  identity: ViewIdentity;
  host?: string;
}

/** Issues and checks credentials. */
export interface Credentials {
  issue(identity: ViewIdentity, options?: CredentialOptions): Promise<string>;
  check(text: string): Promise<CheckedCredential | undefined>;
}

const LIFETIME = 60_000;
const LONGEST_LIFETIME = 10 * 60_000;
// It travels in a header, and many proxies accept 8 KiB for one.
const LONGEST = 6000;
const PATTERN = /^([A-Za-z0-9_-]+)\.([a-z2-7]{32})$/;
const NAMES = ["tenant", "user", "server", "resource"] as const;

/** Credentials of one deployment; every process with its key can issue and check them. */
export function createCredentials(signer: Signer, clock: () => number): Credentials {
  const sign = async (payload: string): Promise<string> =>
    base32(await signer.sign(["credential", payload])).slice(0, 32);
  return {
    issue: async (given, { host, lifetime = LIFETIME } = {}) => {
      const { tenant = "", user = "", server, resource } = given;
      const identity = { tenant, user, server, resource };
      for (const [name, value] of Object.entries(identity)) {
        if (typeof value !== "string") throw sandboxError("bad-identity", name);
      }
      // `NaN` fails as well: a credential without an end isn't short-lived.
      if (!(lifetime > 0 && lifetime <= LONGEST_LIFETIME)) {
        throw sandboxError("bad-lifetime", lifetime);
      }
      const until = clock() + lifetime;
      const claims = { ...identity, id: randomName(), until, ...(host !== undefined && { host }) };
      const payload = encode(JSON.stringify(claims));
      if (payload.length > LONGEST) throw sandboxError("long-identity", payload.length);
      return `${payload}.${await sign(payload)}`;
    },
    check: async (text) => {
      const [, payload, mark] = (text.length <= LONGEST + 64 && PATTERN.exec(text)) || [];
      if (payload === undefined || mark === undefined) return undefined;
      // The payload isn't read before its signature is verified.
      if (!equalsInConstantTime(mark, await sign(payload))) return undefined;
      const credential = readClaims(parseJson(decode(payload)));
      return credential && credential.until > clock() ? credential : undefined;
    },
  };
}

function readClaims(claims: unknown): CheckedCredential | undefined {
  const [id, until, host] = ["id", "until", "host"].map((name) => ownValue(claims, name));
  const identity = Object.fromEntries(NAMES.map((name) => [name, ownValue(claims, name)]));
  if (!isRecord(claims) || typeof id !== "string" || typeof until !== "number") return undefined;
  return {
    id,
    until,
    identity: identity as unknown as ViewIdentity,
    ...(typeof host === "string" && { host }),
  };
}

function encode(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}
