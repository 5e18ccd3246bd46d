// OAuth log-in to servers: the official client does discovery, registration, PKCE and refresh; tokens
// are kept in a file that only the user can read.

import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import {
  auth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/** The log-ins of all servers. */
export interface ServerLogins {
  /** The official client's provider for one server. */
  provider(name: string, url: URL): OAuthClientProvider;
  /** Where the user logs in, after the server has asked for that. */
  address(name: string): string | undefined;
  /** Completes a log-in with the parameters of the redirect. Returns the server's name. */
  finish(parameters: URLSearchParams): Promise<string>;
  /** Calls `listener` with a server after its log-in. Returns an unsubscribe function. */
  onLogin(listener: (name: string) => void): () => void;
}

interface Saved {
  client?: StoredOAuthClientInformation | undefined;
  tokens?: StoredOAuthTokens | undefined;
}

interface Pending {
  name: string;
  url: URL;
  provider: OAuthClientProvider;
}

// A user may open several log-ins, and leave most of them.
const MOST_PENDING = 100;

/** Opens the file; `redirectUrl` is where authorization servers send the user back to. */
export function openLogins(file: string, redirectUrl: () => string): ServerLogins {
  const saved = readSaved(file);
  const pending = new Map<string, Pending>();
  const addresses = new Map<string, string>();
  const listeners = new Set<(name: string) => void>();
  // By address too: an entry that now names another server must not send it these tokens.
  const keyOf = (name: string, url: URL): string => `${name} ${url.origin}${url.pathname}`;
  const change = (key: string, part: Saved): void => {
    saved[key] = { ...saved[key], ...part };
    writeSaved(file, saved);
  };

  const provider = (name: string, url: URL): OAuthClientProvider => {
    const key = keyOf(name, url);
    const state = randomBytes(32).toString("base64url");
    let verifier = "";
    let discovery: OAuthDiscoveryState | undefined;
    const made: OAuthClientProvider = {
      get redirectUrl() {
        return redirectUrl();
      },
      get clientMetadata() {
        return {
          client_name: "Vitrine chat",
          redirect_uris: [redirectUrl()],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: "none",
        };
      },
      state: () => state,
      // A registration is for one address; the chat may run on another port today.
      clientInformation: () => {
        const { client } = saved[key] ?? {};
        const redirects = (client as { redirect_uris?: string[] } | undefined)?.redirect_uris;
        return !redirects || redirects.includes(redirectUrl()) ? client : undefined;
      },
      saveClientInformation: (client) => change(key, { client }),
      tokens: () => saved[key]?.tokens,
      saveTokens: (tokens) => change(key, { tokens }),
      redirectToAuthorization: (address) => {
        if (address.protocol !== "https:" && address.protocol !== "http:") return;
        for (const [old] of pending) if (pending.size >= MOST_PENDING) pending.delete(old);
        pending.set(state, { name, url, provider: made });
        addresses.set(name, address.href);
      },
      saveCodeVerifier: (text) => {
        verifier = text;
      },
      codeVerifier: () => verifier,
      // The code goes to the authorization server that the log-in began with, and to no other.
      saveDiscoveryState: (state) => {
        discovery = state;
      },
      discoveryState: () => discovery,
      invalidateCredentials: (scope) => {
        if (scope === "all" || scope === "client") change(key, { client: undefined });
        if (scope === "all" || scope === "tokens") change(key, { tokens: undefined });
      },
    };
    return made;
  };

  return {
    provider,
    address: (name) => addresses.get(name),
    finish: async (parameters) => {
      const login = pending.get(parameters.get("state") ?? "");
      if (!login) throw new Error("This log-in isn't known, or it was completed already.");
      // Used once, whatever happens.
      pending.delete(parameters.get("state") ?? "");
      const code = parameters.get("code");
      if (code === null)
        throw new Error(
          parameters.get("error_description") ?? parameters.get("error") ?? "No code was sent.",
        );
      const iss = parameters.get("iss");
      await auth(login.provider, {
        serverUrl: login.url,
        authorizationCode: code,
        ...(iss !== null && { iss }),
      });
      addresses.delete(login.name);
      for (const listener of [...listeners]) listener(login.name);
      return login.name;
    },
    onLogin: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function readSaved(file: string): Record<string, Saved> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, Saved>) : {};
  } catch {
    // Missing, or damaged: then the user logs in again.
    return {};
  }
}

function writeSaved(file: string, saved: Record<string, Saved>): void {
  const next = `${file}.new`;
  writeFileSync(next, JSON.stringify(saved), { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, file);
}
