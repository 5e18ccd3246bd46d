import { LocalError } from "@vitrine/protocol";
import { speakIn } from "@vitrine/protocol/sentences";
import { SANDBOX_SENTENCES } from "./sentences.ts";

/** What an operator or embedder did wrong; each refuses to start or to register. */
export type SandboxErrorCode =
  | "no-hosts" // nobody may embed the views
  | "many-hosts" // one-origin set-ups have one
  | "bad-origin" // not written as an origin
  | "insecure-origin" // http beyond loopback
  | "ip-origin" // an address has no names below it
  | "same-origin" // host and sandbox share an origin
  | "same-site" // host and sandbox share cookies and a process
  | "localhost-port" // another port is not another site
  | "mixed-tier" // one origin, and yet `allow-same-origin`
  | "bad-flag" // a sandbox flag that a View never gets
  | "bad-prefix"
  | "short-key"
  | "bad-domain" // an entry of the operator's lists
  | "bad-html"
  | "large-html"
  | "bad-identity"
  | "store-full"
  | "sandbox-closed";

/** A mistake in how the Sandbox is set up or used; switch on `code`. */
export type SandboxError = LocalError<SandboxErrorCode>;

/** Builds an error that speaks in sentences: on a server nobody counts its bytes. */
export function sandboxError(code: SandboxErrorCode, about: unknown): SandboxError {
  speakIn(SANDBOX_SENTENCES);
  return new LocalError(code, about);
}
