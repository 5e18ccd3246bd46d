// Who the gateway is to an authorization server. Never the same client at two of them, nor for two
// servers: each has a redirect address of its own, so that the answer of one authorization server cannot be
// passed off as another's, even where it does not say who it is (mix-up).

import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
} from "@modelcontextprotocol/client";
import type { Engine, Kv } from "../../engine/engine.ts";
import { EngineError } from "../../engine/errors.ts";
import type { Sealer } from "../../sealing.ts";
import { hashOf } from "../../stable-hash.ts";
import { type Authority, asCredentialError, type OAuthServer, sdk } from "./authority.ts";
import { CredentialError } from "./errors.ts";

/** Knows the gateway's clients. */
export interface OAuthClients {
  redirectUri(server: string): string;
  /** The document that describes the client of a server (client id metadata). */
  document(server: string): (OAuthClientMetadata & { client_id: string }) | undefined;
  /** The client at an authority; registered if it is not yet. */
  at(
    server: OAuthServer,
    authority: Pick<Authority, "issuer" | "metadata">,
  ): Promise<OAuthClientInformationMixed>;
}

/** Makes clients for a gateway at an address. */
export function createOAuthClients(options: {
  engine: Engine;
  sealer: Sealer;
  publicUrl: string;
}): OAuthClients {
  const { sealer, publicUrl } = options;
  const registered = options.engine.kv("oauth-clients", { durable: true });
  const running = new Map<string, Promise<OAuthClientInformationMixed>>();
  const redirectUri = (server: string): string =>
    `${publicUrl}/oauth/callback/${encodeURIComponent(server)}`;
  const documentUrl = (server: string): string =>
    `${publicUrl}/oauth/clients/${encodeURIComponent(server)}`;
  const describe = (server: string): OAuthClientMetadata => ({
    // The user sees it where they log in, and can tell that it's another server's log-in they were sent to.
    client_name: `Vitrine gateway: ${server}`,
    client_uri: publicUrl,
    redirect_uris: [redirectUri(server)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
  const hasDocument = publicUrl.startsWith("https:");

  return {
    redirectUri,
    document: (server) =>
      hasDocument ? { ...describe(server), client_id: documentUrl(server) } : undefined,
    at: async ({ id, oauth, fetch: fetchFn }, { issuer, metadata }) => {
      if (oauth.clientSecret !== undefined && oauth.issuer !== issuer) {
        const message = `The clientSecret of "${id}" is sent to oauth.issuer alone; set it.`;
        throw new CredentialError("issuer", message);
      }
      if (oauth.clientId !== undefined) {
        return {
          client_id: oauth.clientId,
          ...(oauth.clientSecret !== undefined && { client_secret: oauth.clientSecret }),
        };
      }
      const takesDocuments =
        (metadata as { client_id_metadata_document_supported?: boolean })
          .client_id_metadata_document_supported === true;
      if (takesDocuments && hasDocument) return { client_id: documentUrl(id) };
      const binding = ["client", id, issuer, redirectUri(id)];
      const key = hashOf(binding);
      const before = await registered.get(key);
      const kept = before && sealer.open(before.value, binding);
      if (kept) return JSON.parse(kept) as OAuthClientInformationMixed;
      if (!metadata.registration_endpoint) {
        const message = `${issuer} registers no clients; set oauth.clientId of "${id}".`;
        throw new CredentialError("incompatible", message);
      }
      const register = async (): Promise<OAuthClientInformationMixed> => {
        const { registerClient, resolveClientMetadata } = await sdk();
        const clientMetadata = resolveClientMetadata({
          clientMetadata: describe(id),
          redirectUrl: redirectUri(id),
        });
        const made = await registerClient(issuer, { metadata, clientMetadata, fetchFn }).catch(
          (cause: unknown) => {
            throw asCredentialError(cause, issuer);
          },
        );
        return keep(registered, key, made, { sealer, binding, old: before?.revision });
      };
      // Many who log in for the first time at once share one registration.
      const registering = running.get(key) ?? register().finally(() => void running.delete(key));
      running.set(key, registering);
      return registering;
    },
  };
}

/** Of two processes that registered at once, both use what the first has kept. */
async function keep(
  registered: Kv,
  key: string,
  made: OAuthClientInformationMixed,
  { sealer, binding, old }: { sealer: Sealer; binding: string[]; old: number | undefined },
): Promise<OAuthClientInformationMixed> {
  const sealed = sealer.seal(JSON.stringify(made), binding);
  try {
    if (old === undefined) await registered.create(key, sealed);
    else await registered.update(key, sealed, old);
    return made;
  } catch (error) {
    if (!(error instanceof EngineError) || !/^(exists|conflict)$/.test(error.code)) throw error;
    const entry = await registered.get(key);
    const kept = entry && sealer.open(entry.value, binding);
    return kept ? (JSON.parse(kept) as OAuthClientInformationMixed) : made;
  }
}
