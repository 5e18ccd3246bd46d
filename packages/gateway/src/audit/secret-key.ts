// Names under which secrets are kept. Compared without case and separators, so that `API-Key`, `api_key` and
// `apiKey` are one. A name too many costs a reader a value; a name too few costs a user a secret.

const WITHIN =
  /passw|passphrase|passcode|pwd|token|secret|authori[sz]ation|cookie|credential|apikey|privatekey|accesskey|bearer|jwt|sessionid|signature|cvv|cvc|pincode|csrf|xsrf|otpcode/;
const AT_END = /(?:keys?|auth|session|otp|nonce|salt|seed|^pins?|^ssn)$/;
const LONGEST = 256;
const known = new Map<string, boolean>();

/** Whether a key says that its value is a secret. */
export function isSecretKey(key: string): boolean {
  const found = known.get(key);
  if (found !== undefined) return found;
  const plain = key
    .slice(0, LONGEST)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
  const isSecret = WITHIN.test(plain) || AT_END.test(plain);
  // Most keys come again; those of an attacker need not be remembered.
  if (known.size < 4_096 && key.length <= 64) known.set(key, isSecret);
  return isSecret;
}
