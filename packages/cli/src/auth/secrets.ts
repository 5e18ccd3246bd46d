import type { LoginExchange } from "./login-exchange.ts";

/** Removes secrets from texts that people will see. */
export interface Secrets {
  add(...secrets: (string | null | undefined)[]): void;
  redact(text: string): string;
}

// Shorter ones would remove parts of ordinary words.
const SHORTEST = 6;
const MOST = 200;

/** Remembers secrets: servers may repeat them in any text, such as the description of an error. */
export function createSecrets(): Secrets {
  const known = new Set<string>();
  return {
    add: (...secrets) => {
      for (const secret of secrets) if (secret && secret.length >= SHORTEST) known.add(secret);
      for (const old of known) if (known.size > MOST) known.delete(old);
    },
    redact: (text) => {
      let clean = text;
      for (const secret of known) {
        clean = clean.replaceAll(secret, "[secret]");
        clean = clean.replaceAll(encodeURIComponent(secret), "[secret]");
      }
      return clean;
    },
  };
}

/** The secrets of an exchange: they must not appear in what people see. */
export function learnSecrets({ body, text }: LoginExchange, { add }: Secrets): void {
  const names = ["code", "code_verifier", "refresh_token", "client_secret", "client_assertion"];
  if (body instanceof URLSearchParams) for (const name of names) add(body.get(name));
  for (const [, value = ""] of (text ?? "").matchAll(
    /"(?:access_token|refresh_token|id_token|client_secret|registration_access_token)"\s*:\s*"([^"]*)"/g,
  ))
    add(value);
}
