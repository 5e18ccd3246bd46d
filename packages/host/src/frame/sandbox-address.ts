import type { Upstream } from "../upstreams/upstream.ts";
import type { RegistrationFacts } from "./port-link.ts";

/** The view's owner; each identity has its own origin. */
export interface FrameIdentity {
  server: string;
  resource: string;
  tenant?: string | undefined;
  user?: string | undefined;
}

/** The data that the host's server registers with the sandbox. */
export interface ViewToRegister extends FrameIdentity {
  html: string;
  /** `_meta.ui` of the resource, as the Server sent it. */
  meta: unknown;
  /** Origin of the page that will embed it. */
  host: string;
  hold: boolean;
}

/** The part of the result of the sandbox's `register` that a frame needs. */
export interface RegisteredViewLike extends RegistrationFacts {
  proxyUrl: string;
  /** `"null"` if host and sandbox share a domain. */
  proxyOrigin: string;
  allow: string;
}

/**
 * Where views run: the address of the sandbox's entrance, alone or with a way to get credentials for
 * it, or a function that registers views.
 */
export type SandboxAddress =
  | string
  | {
      entrance: string;
      /** Asks your server, which identifies the user and calls `sandbox.issueCredential`. */
      credential(view: FrameIdentity): string | Promise<string>;
    }
  | {
      register(view: ViewToRegister): Promise<RegisteredViewLike>;
      /** Address of the sandbox, for requests other than views. */
      entrance?: string;
    };

/** The inputs for a view's credential. */
export interface CredentialSource {
  sandbox: SandboxAddress;
  identity: FrameIdentity;
  upstream?: Pick<Upstream, "sandboxCredential"> | undefined;
}

/** The credential for a view at this entrance, from the page's server or from the view's gateway. */
export async function credentialFor(
  entrance: URL,
  { sandbox, identity, upstream }: CredentialSource,
): Promise<string | undefined> {
  if (typeof sandbox !== "string" && "credential" in sandbox) return sandbox.credential(identity);
  const issued = await upstream?.sandboxCredential?.(identity.resource);
  // A credential is valid for one sandbox, and must not be sent to another.
  return issued && new URL(issued.entrance).origin === entrance.origin
    ? issued.credential
    : undefined;
}
