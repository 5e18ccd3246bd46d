// Short-lived statements that the server half gives to a page and checks when they come back.

/** Signs statements, and reads those it has signed. */
export interface TokenSigner {
  sign(statement: Record<string, unknown>, lifetime: number): Promise<string>;
  /** The statement, unless it is forged or has expired. */
  read(token: unknown): Promise<Record<string, unknown> | undefined>;
}

const LONGEST = 8192;
const SHORTEST_KEY = 32;
const encoder = new TextEncoder();

/** Signs with a key of at least 32 characters, or with a random one that other processes don't have. */
export function createTokenSigner(key: string | undefined): TokenSigner {
  if (key !== undefined && key.length < SHORTEST_KEY) {
    throw new TypeError(
      `The key has ${key.length} characters; use at least ${SHORTEST_KEY} random ones.`,
    );
  }
  let imported: Promise<CryptoKey> | undefined;
  // Not at once: Workers allow neither random values nor asynchronous work outside of a request.
  const load = (): Promise<CryptoKey> => {
    imported ??= importKey(
      key === undefined ? crypto.getRandomValues(new Uint8Array(32)) : encoder.encode(key),
    );
    return imported;
  };
  return {
    sign: async (statement, lifetime) => {
      const text = JSON.stringify({ ...statement, expires: Date.now() + lifetime });
      const signature = await crypto.subtle.sign("HMAC", await load(), encoder.encode(text));
      return `${toBase64Url(encoder.encode(text))}.${toBase64Url(new Uint8Array(signature))}`;
    },
    read: async (token) => {
      if (typeof token !== "string" || token.length > LONGEST) return undefined;
      const [body, signature, ...rest] = token.split(".").map(fromBase64Url);
      if (!body || !signature || rest.length > 0) return undefined;
      if (!(await crypto.subtle.verify("HMAC", await load(), signature, body))) return undefined;
      const statement = JSON.parse(new TextDecoder().decode(body)) as { expires: number };
      return statement.expires > Date.now() ? { ...statement } : undefined;
    },
  };
}

function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign", "verify"]);
}

/** SHA-256 of a JSON value, in base64url. */
export async function hashOf(value: unknown): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(JSON.stringify(value)));
  return toBase64Url(new Uint8Array(digest));
}

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
