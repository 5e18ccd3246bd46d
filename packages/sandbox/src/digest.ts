// Only WebCrypto, so that the Sandbox also runs without Node.

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** SHA-256 of a text in UTF-8, in hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  const bytes = await sha256(text);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** SHA-256 of a text in UTF-8 as a CSP names it. */
export async function cspHash(text: string): Promise<string> {
  return `'sha256-${btoa(String.fromCharCode(...(await sha256(text))))}'`;
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** Bytes as lower-case base32 without padding: five bits a character, valid in a DNS label. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text;
}

/** A name that cannot be guessed: 160 random bits in 32 characters. */
export function randomName(): string {
  return base32(crypto.getRandomValues(new Uint8Array(20)));
}

/** Signs lists of strings with HMAC-SHA256. */
export interface Signer {
  sign(parts: readonly string[]): Promise<Uint8Array>;
}

/** A signer for a key that is long enough to be one. */
export function createSigner(key: Uint8Array): Signer {
  const ready = crypto.subtle.importKey(
    "raw",
    new Uint8Array(key),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return {
    sign: async (parts) => {
      // JSON keeps the parts separate: ["ab", "c"] and ["a", "bc"] must have different signatures.
      const text = new TextEncoder().encode(JSON.stringify(parts));
      return new Uint8Array(await crypto.subtle.sign("HMAC", await ready, text));
    },
  };
}

/** Compares in constant time. */
export function equalsInConstantTime(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) {
    difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  }
  return difference === 0;
}
