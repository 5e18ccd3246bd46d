// The signing keys of an issuer. The last good set is kept, in memory and in a store, so that users can still
// log in while the issuer is down, also right after a restart.

import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwksCache,
} from "jose";

/** Keeps the last good key set of each issuer. */
export interface KeyStore {
  load(issuer: string): Promise<StoredKeys | undefined>;
  save(issuer: string, keys: StoredKeys): Promise<void>;
}

/** A key set, and when it was fetched. */
export interface StoredKeys {
  jwks: JSONWebKeySet;
  /** Milliseconds since 1970. */
  at: number;
}

/** The state of an issuer's keys. */
export interface KeyState {
  issuer: string;
  /** `stale`: the issuer can't be reached, and the last good set is used. */
  state: "loading" | "fresh" | "stale" | "missing";
  cause?: string;
}

/** The options of `issuerKeys`. */
export interface IssuerKeysOptions {
  issuer: string;
  /** The address of the key set. Without it, the issuer's metadata is read. */
  jwks?: string | undefined;
  store?: KeyStore | undefined;
  onState?: ((state: KeyState) => void) | undefined;
}

/** The keys can't be loaded, and there is no last good set. */
export class KeysUnavailableError extends Error {
  override readonly name = "KeysUnavailableError";
  constructor(issuer: string, cause: unknown) {
    super(`The keys of the issuer ${issuer} can't be loaded, so nobody can log in.`, { cause });
  }
}

const TIMEOUT = 5000;
/** Milliseconds after a failure in which the issuer isn't asked again. */
const PAUSE = 2000;
/** A set that is older than this isn't used any more: a removed key has to lose its effect. */
const KEPT = 24 * 3_600_000;
const LARGEST = 256 * 1024;

/** Errors about a token. Anybody can cause them, so they don't mean that the issuer is down. */
const OF_TOKENS = [
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
  errors.JOSENotSupported,
  errors.JWSInvalid,
];
const isOfToken = (error: unknown): boolean => OF_TOKENS.some((kind) => error instanceof kind);

/** The keys of one issuer. */
export interface IssuerKeys {
  /** Finds the key of a token. */
  find: JWTVerifyGetKey;
  /** Loads them now rather than with the first token, so that a problem shows early. Never throws. */
  preload(): Promise<void>;
}

/** Opens the keys of an issuer. */
export function issuerKeys(options: IssuerKeysOptions): IssuerKeys {
  const { issuer, store, onState } = options;
  let remote: Promise<Remote> | undefined;
  let last: StoredKeys | undefined;
  let reported: string | undefined;
  let failed: { error: unknown; at: number } | undefined;

  const report = (state: KeyState["state"], cause?: unknown): void => {
    if (state === reported) return;
    reported = state;
    onState?.({ issuer, state, ...(cause !== undefined && { cause: `${cause}` }) });
  };
  /** Forgotten if it fails, so that the next request tries again. */
  const open = (): Promise<Remote> => {
    remote ??= openRemote(options).catch((error: unknown) => {
      remote = undefined;
      throw error;
    });
    return remote;
  };
  const keep = ({ cache }: Remote): void => {
    if (!cache.jwks || cache.uat === undefined || cache.uat === last?.at) return;
    last = { jwks: cache.jwks, at: cache.uat };
    // A store that fails costs only the start after this one.
    store?.save(issuer, last).catch(() => {});
  };
  const load = async <T>(use: (remote: Remote) => T | Promise<T>): Promise<T> => {
    // An issuer that is down isn't asked for each token: a request can take seconds to fail.
    if (failed && Date.now() - failed.at < PAUSE) throw failed.error;
    try {
      const found = await open();
      const result = await use(found);
      keep(found);
      report("fresh");
      failed = undefined;
      return result;
    } catch (error) {
      if (!isOfToken(error)) failed = { error, at: Date.now() };
      throw error;
    }
  };
  /** The last good set, unless it is too old. */
  const fallBack = async (error: unknown): Promise<JSONWebKeySet> => {
    last ??= await store?.load(issuer).catch(() => undefined);
    if (!last || Date.now() - last.at > KEPT) {
      report("missing", error);
      throw new KeysUnavailableError(issuer, error);
    }
    report("stale", error);
    return last.jwks;
  };
  return {
    find: async (header, token) => {
      try {
        return await load(({ keys }) => keys(header, token));
      } catch (error) {
        if (isOfToken(error)) throw error;
        return createLocalJWKSet(await fallBack(error))(header, token);
      }
    },
    preload: async () => {
      await load(({ keys }) => keys.reload())
        .catch(fallBack)
        .catch(() => {});
    },
  };
}

interface Remote {
  keys: ReturnType<typeof createRemoteJWKSet>;
  cache: { jwks?: JSONWebKeySet; uat?: number };
}

async function openRemote({ issuer, jwks }: IssuerKeysOptions): Promise<Remote> {
  const cache: Remote["cache"] = {};
  const url = new URL(jwks ?? (await discover(issuer)));
  // The library fills the empty object when it fetches.
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: TIMEOUT,
    [jwksCache]: cache as Record<string, never>,
  });
  return { keys, cache };
}

/** Reads the address of the keys from the issuer's metadata: OpenID Connect, then RFC 8414. */
async function discover(issuer: string): Promise<string> {
  const base = new URL(issuer);
  const path = base.pathname.replace(/\/$/, "");
  const addresses = [
    new URL(`${path}/.well-known/openid-configuration`, base),
    new URL(`/.well-known/oauth-authorization-server${path}`, base),
  ];
  let failure: unknown;
  for (const address of addresses) {
    try {
      const response = await fetch(address, {
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT),
      });
      const found = response.ok ? await readMetadata(response) : undefined;
      // RFC 8414 3.3: another issuer's metadata must not be used.
      if (found?.issuer === issuer && typeof found.jwks_uri === "string") return found.jwks_uri;
      failure = new Error(`${address} has no metadata of ${issuer}`);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function readMetadata(response: Response): Promise<Record<string, unknown>> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > LARGEST) throw new Error("the issuer's metadata is too large");
  }
  return Object(JSON.parse(text)) as Record<string, unknown>;
}
