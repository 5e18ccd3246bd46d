import { decodeJwt } from "jose";

const LONGEST = 120;

/**
 * Why a token was probably rejected, for the operators' log. It reads claims that nobody has verified, so no
 * decision may depend on it, and it never contains the token.
 */
export function tokenCause(token: string | undefined, now: number = Date.now()): string {
  if (token === undefined) return "no token";
  let claims: ReturnType<typeof decodeJwt>;
  try {
    claims = decodeJwt(token);
  } catch {
    return "not a token of an issuer";
  }
  const { exp, nbf, iss, aud } = claims;
  if (typeof exp === "number" && exp * 1000 <= now) {
    return `expired ${Math.round((now - exp * 1000) / 1000)} s ago`;
  }
  if (typeof nbf === "number" && nbf * 1000 > now) return "not valid yet";
  const audience = [aud ?? []].flat().join(" ");
  return `issuer "${shorten(`${iss}`)}", audience "${shorten(audience)}": one of them isn't accepted, or the signature is wrong`;
}

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
