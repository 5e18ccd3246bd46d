import { LocalError } from "@vitrine/protocol";
import { speakIn } from "@vitrine/protocol/sentences";
import { SERVER_SENTENCES } from "./sentences.ts";

/** What an author did wrong; each is thrown where it is said, or when the server starts. */
export type ServerErrorCode =
  | "not-ui-uri" // SRV-01
  | "wrong-mime-type" // SRV-02
  | "bad-content" // SRV-03: neither text nor base64, or of another address
  | "not-html" // SRV-04
  | "bad-view-file" // given as a URL, and nothing can be read there
  | "dangling-resource" // SRV-05
  | "two-resources" // nested and flat key name different ones
  | "bad-visibility" // SRV-15
  | "policy-on-tool" // SRV-17
  | "bad-metadata"
  | "refused-declaration" // a domain or permission that no Host would grant
  | "bad-domain" // SRV-08
  | "bad-endpoint" // of the Claude domain
  | "bad-app-name"
  | "bad-cache";

/** A mistake in how an app is declared; switch on `code`. */
export type ServerError = LocalError<ServerErrorCode>;

/** Builds an error that speaks in sentences: on a server nobody counts its bytes. */
export function serverError(code: ServerErrorCode, about: unknown): ServerError {
  speakIn(SERVER_SENTENCES);
  return new LocalError(code, about);
}
