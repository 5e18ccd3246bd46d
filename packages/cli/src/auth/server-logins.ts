// The log-ins of a running command. A connection only uses what is stored, and refreshes it; a log-in
// begins when the user asks for it. So nothing registers a client or opens a browser by itself.

import {
  type AuthProvider,
  extractWWWAuthenticateParams,
  OAuthError,
} from "@modelcontextprotocol/client";
import { printable } from "@vitrine/protocol/printable";
import { Failure } from "../failure.ts";
import {
  describeAuthorization,
  describeCallback,
  needIssuer,
  refusalOf,
} from "./authorization-response.ts";
import { explainExchange } from "./login-exchange.ts";
import { createLoginFetch, type Fetch, reasonOf } from "./login-fetch.ts";
import { type LoginFile, openLoginFile, resourceOf } from "./login-file.ts";
import {
  completeLogin,
  type GivenClient,
  needSafe,
  planLogin,
  refreshLogin,
  type StartedLogin,
  startLogin,
  toSaved,
} from "./login-flow.ts";
import { type LoginChallenge, LoginNeeded, loginNeededOf } from "./login-needed.ts";
import type { LoginState, LoginStep } from "./login-step.ts";
import { createSecrets, learnSecrets } from "./secrets.ts";

/** How a log-in begins. */
export interface BeginOptions {
  client?: GivenClient | undefined;
  scope?: string | undefined;
}

/** The log-ins of all servers of a command. */
export interface ServerLogins {
  /** For the official transports to one server. */
  connection(url: URL, headers?: Headers): { fetch: Fetch; authProvider?: AuthProvider };
  /** Returns the address where the user logs in. */
  begin(url: URL, options?: BeginOptions): Promise<string>;
  /** Completes a log-in with the parameters of the redirect. Returns the server's address. */
  finish(parameters: URLSearchParams): Promise<URL>;
  state(url: URL): LoginState;
  /** A text without the tokens and headers of these log-ins. */
  redact(text: string): string;
  /** The servers that were connected to, or that a log-in began for. */
  readonly servers: readonly URL[];
  /** Calls `listener` with a server after its log-in. Returns an unsubscribe function. */
  onLogin(listener: (url: URL) => void): () => void;
  /** Calls `listener` whenever a state changes. Returns an unsubscribe function. */
  onChange(listener: (url: URL) => void): () => void;
}

interface Entry {
  readonly url: URL;
  headers: Headers | undefined;
  fetch: Fetch;
  steps: LoginStep[];
  challenge?: LoginChallenge | undefined;
  isNeeded: boolean;
  failure?: string | undefined;
  refreshing?: Promise<void> | undefined;
}

// A user may open several log-ins, and leave most of them.
const MOST_PENDING = 100;
const MOST_STEPS = 60;
const LONGEST_TEXT = 300;

/** Uses the stored log-ins; `redirectUrl` is where issuers send the user back to. */
export function createServerLogins({
  file = openLoginFile(),
  redirectUrl = () => {
    throw new Failure("login-failed", "This command can't log in.");
  },
}: {
  file?: LoginFile;
  redirectUrl?: () => string;
} = {}): ServerLogins {
  const entries = new Map<string, Entry>();
  const pending = new Map<string, { entry: Entry; login: StartedLogin }>();
  const logins = new Set<(url: URL) => void>();
  const changes = new Set<(url: URL) => void>();
  /** The token of each rejected request. */
  const rejected = new WeakMap<Response, string>();
  const secrets = createSecrets();

  const clean = (text: string): string =>
    secrets.redact(printable(text.slice(0, 4000))).slice(0, LONGEST_TEXT);
  const changed = ({ url }: Entry): void => {
    for (const listener of [...changes]) listener(url);
  };
  const addStep = (entry: Entry, step: LoginStep): void => {
    entry.steps = [
      ...entry.steps,
      {
        ...step,
        request: clean(step.request),
        found: step.found.map(([label, text]) => [label, clean(text)] as const),
        problems: step.problems.map(clean),
      },
    ].slice(-MOST_STEPS);
    changed(entry);
  };
  const entryOf = (url: URL): Entry => {
    const key = resourceOf(url);
    const known = entries.get(key);
    if (known) return known;
    const entry: Entry = {
      url: new URL(key),
      headers: undefined,
      fetch: (to, init) =>
        createLoginFetch(entry.url, {
          headers: entry.headers,
          onExchange: (exchange) => {
            learnSecrets(exchange, secrets);
            addStep(entry, explainExchange(exchange, entry.url));
          },
          onRejected: (response, token) => {
            if (token !== undefined) rejected.set(response, token);
            noteChallenge(entry, response);
          },
        })(to, init),
      steps: [],
      isNeeded: false,
    };
    entries.set(key, entry);
    return entry;
  };
  const noteChallenge = (entry: Entry, response: Response): void => {
    const { resourceMetadataUrl: metadata, scope, error } = extractWWWAuthenticateParams(response);
    const isStepUp = response.status === 403 && error === "insufficient_scope";
    if (response.status === 403 && !isStepUp) return;
    entry.challenge = { metadata: metadata ?? entry.challenge?.metadata, scope, isStepUp };
    entry.isNeeded = isStepUp || file.find(resourceOf(entry.url))?.tokens === undefined;
    changed(entry);
  };

  const refresh = async (entry: Entry): Promise<void> => {
    const saved = file.find(resourceOf(entry.url));
    if (!saved?.tokens) throw new LoginNeeded(entry.url);
    const { challenge, fetch } = entry;
    try {
      const plan = await planLogin(entry.url, { challenge, fetch });
      const tokens = await refreshLogin(plan, saved, fetch);
      if (tokens && saved.client) {
        secrets.add(tokens.access_token, tokens.refresh_token);
        file.save(toSaved(entry.url, { client: saved.client, tokens }));
        entry.isNeeded = false;
        return;
      }
    } catch (error) {
      // Anything else may be a moment's failure, and keeps the log-in.
      if (error instanceof OAuthError) file.save({ ...saved, tokens: undefined });
      entry.failure = wordsOf(error);
    }
    throw new LoginNeeded(entry.url, "wants you to log in again");
  };
  const wordsOf = (error: unknown): string =>
    clean(error instanceof Failure ? error.message : `The log-in failed: ${reasonOf(error)}`);

  const authProviderOf = (entry: Entry): AuthProvider => ({
    token: async () => {
      const token = file.find(resourceOf(entry.url))?.tokens?.access_token;
      if (token === undefined) return undefined;
      needSafe(entry.url, "The server");
      secrets.add(token);
      return token;
    },
    onUnauthorized: async ({ response }) => {
      const current = file.find(resourceOf(entry.url))?.tokens?.access_token;
      // Another request has refreshed the token already.
      const isOld = rejected.get(response) !== current && current !== undefined;
      if (isOld && rejected.has(response)) return;
      entry.refreshing ??= refresh(entry).finally(() => {
        entry.refreshing = undefined;
      });
      try {
        await entry.refreshing;
      } catch (error) {
        entry.isNeeded = loginNeededOf(error) !== undefined;
        changed(entry);
        throw error;
      }
    },
  });

  return {
    connection: (url, headers) => {
      const entry = entryOf(url);
      entry.headers = headers;
      headers?.forEach((value) => {
        secrets.add(value, value.replace(/^\w+ /, ""));
      });
      // The user's own credentials replace a log-in.
      if (headers?.has("authorization")) return { fetch: entry.fetch };
      return { fetch: entry.fetch, authProvider: authProviderOf(entry) };
    },
    begin: async (url, { client, scope } = {}) => {
      const entry = entryOf(url);
      entry.failure = undefined;
      try {
        if (!entry.challenge) await probe(entry.url, entry.fetch);
        secrets.add(client?.secret);
        const { challenge, fetch } = entry;
        const plan = await planLogin(entry.url, { challenge, fetch });
        const saved = file.find(resourceOf(entry.url), plan.issuer);
        const redirect = redirectUrl();
        const given = { saved, given: client, challenge, scope, redirect, fetch };
        const login = await startLogin(plan, given);
        secrets.add(login.verifier, login.state, saved?.tokens?.refresh_token);
        for (const [old] of pending) if (pending.size >= MOST_PENDING) pending.delete(old);
        pending.set(login.state, { entry, login });
        addStep(entry, describeAuthorization(login));
        return login.address.href;
      } catch (error) {
        entry.failure = wordsOf(error);
        changed(entry);
        throw new Failure("login-failed", entry.failure);
      }
    },
    finish: async (parameters) => {
      const state = parameters.get("state") ?? "";
      const found = pending.get(state);
      if (!found)
        throw new Failure("login-failed", "This log-in isn't known, or it was completed already.");
      // Used once, whatever happens.
      pending.delete(state);
      const { entry, login } = found;
      const code = parameters.get("code");
      secrets.add(code);
      addStep(entry, describeCallback(parameters, login));
      try {
        needIssuer(parameters, login);
        if (code === null) throw new Failure("login-failed", refusalOf(parameters));
        const iss = parameters.get("iss") ?? undefined;
        const tokens = await completeLogin(login, { code, iss, fetch: entry.fetch });
        secrets.add(tokens.access_token, tokens.refresh_token);
        // A token of an earlier issuer must not be used any more.
        file.remove(resourceOf(entry.url));
        file.save(toSaved(entry.url, { client: login.client, tokens }));
      } catch (error) {
        entry.failure = wordsOf(error);
        changed(entry);
        throw new Failure("login-failed", entry.failure);
      }
      entry.isNeeded = false;
      entry.failure = undefined;
      entry.challenge = undefined;
      changed(entry);
      for (const listener of [...logins]) listener(entry.url);
      return entry.url;
    },
    redact: secrets.redact,
    get servers() {
      return [...entries.values()].map(({ url }) => url);
    },
    state: (url) => {
      const { isNeeded, challenge, failure, steps } = entryOf(url);
      const isLoggedIn = file.find(resourceOf(url))?.tokens !== undefined;
      const scope = challenge?.scope === undefined ? undefined : clean(challenge.scope);
      return { isNeeded, isLoggedIn, scope, failure, steps };
    },
    onLogin: (listener) => {
      logins.add(listener);
      return () => logins.delete(listener);
    },
    onChange: (listener) => {
      changes.add(listener);
      return () => changes.delete(listener);
    },
  };
}

/** A request without a token: the rejection names the place to log in. */
async function probe(url: URL, fetch: Fetch): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "vitrine", version: "0.1.0" },
      },
    }),
    signal: AbortSignal.timeout(15_000),
  });
  await response.body?.cancel();
}
