// The gateway's OAuth clients. Each server and authorization server gets its own client and redirect address,
// so that a response from one authorization server can't be presented as another's, even without `iss`
// (mix-up).

import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
} from "@modelcontextprotocol/client";
import type { Sealer } from "../../crypto/sealing.ts";
import { hashOf } from "../../crypto/stable-hash.ts";
import type { Engine, Kv } from "../../engine/engine.ts";
import { EngineError } from "../../engine/engine-error.ts";
import { type Authority, asCredentialError, type OAuthServer, sdk } from "./authority.ts";
import { CredentialError } from "./credential-error.ts";

/** Provides the gateway's OAuth clients. */
export interface OAuthClients {
  redirectUri(server: string): string;
  /** The document that describes a server's client (client ID metadata document). */
  document(server: string): (OAuthClientMetadata & { client_id: string }) | undefined;
  /** The client at an authorization server. Registers it if necessary. */
  at(
    server: OAuthServer,
    authority: Pick<Authority, "issuer" | "metadata">,
  ): Promise<OAuthClientInformationMixed>;
}

/** Creates the OAuth clients of a gateway. */
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
    // Shown to users when they log in, so that they notice a login to the wrong server.
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
        const message = `The clientSecret of "${id}" may only be sent to oauth.issuer. Set oauth.issuer.`;
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
        const message = `${issuer} doesn't register clients. Set oauth.clientId of "${id}".`;
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
      // Concurrent first logins share one registration.
      const registering = running.get(key) ?? register().finally(() => void running.delete(key));
      running.set(key, registering);
      return registering;
    },
  };
}

/** If two processes register at once, both use the client that was stored first. */
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
