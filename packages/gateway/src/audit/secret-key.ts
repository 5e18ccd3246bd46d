// Names that announce a secret. Compared without case and separators, so that `API-Key`, `api_key` and
// `apiKey` are equal. A false positive hides a value from a reader; a false negative leaks a user's secret.

const WITHIN =
  /passw|passphrase|passcode|pwd|token|secret|authori[sz]ation|cookie|credential|apikey|privatekey|accesskey|bearer|jwt|sessionid|signature|cvv|cvc|pincode|csrf|xsrf|otpcode/;
const AT_END = /(?:keys?|auth|session|otp|nonce|salt|seed|^pins?|^ssn)$/;
const LONGEST = 256;
/** Whether a key announces a secret value. */
export function isSecretKey(key: string): boolean {
  const plain = key
    .slice(0, LONGEST)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
  return WITHIN.test(plain) || AT_END.test(plain);
}
