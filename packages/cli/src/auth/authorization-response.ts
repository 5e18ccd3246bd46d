// The way of the user to the authorization server and back.

import { Failure } from "../failure.ts";
import type { StartedLogin } from "./login-flow.ts";
import type { LoginStep } from "./login-step.ts";

/** RFC 9207: another issuer's response must not be completed here. */
export function needIssuer(parameters: URLSearchParams, { plan }: StartedLogin): void {
  const iss = parameters.get("iss");
  const isRequired = plan.metadata.authorization_response_iss_parameter_supported === true;
  if (iss === null ? !isRequired : iss === plan.issuer) return;
  throw new Failure(
    "login-failed",
    `The log-in began at ${plan.issuer}, but ${iss === null ? "the response doesn't name its issuer" : `the response is from ${iss}`}. The code wasn't used.`,
  );
}

/** Why the authorization server didn't send a code. */
export function refusalOf(parameters: URLSearchParams): string {
  const error = parameters.get("error") ?? "no code was sent";
  const description = parameters.get("error_description");
  return `The authorization server refused: ${error}${description ? ` (${description})` : ""}.`;
}

/** The step in which the user is sent to the authorization server. */
export function describeAuthorization({
  address,
  redirect,
  client,
  plan,
}: StartedLogin): LoginStep {
  const scope = address.searchParams.get("scope");
  return {
    kind: "authorization",
    at: Date.now(),
    request: `GET ${address.origin}${address.pathname}`,
    found: [
      ["Client ID", client.client_id],
      ["Redirect", redirect],
      ["PKCE", "S256"],
      ["Resource", plan.resource ?? "none"],
      ...(scope === null ? [] : [["Scope", scope] as const]),
    ],
    problems: [],
  };
}

/** The step in which the user comes back. */
export function describeCallback(
  parameters: URLSearchParams,
  { redirect, plan }: StartedLogin,
): LoginStep {
  const iss = parameters.get("iss");
  const error = parameters.get("error");
  return {
    kind: "callback",
    at: Date.now(),
    request: `GET ${redirect}`,
    found: [
      ["Code", parameters.has("code") ? "received" : "missing"],
      ["State", "matches"],
      ...(iss === null ? [] : [["Issuer", iss] as const]),
      ...(error === null ? [] : [["Error", error] as const]),
    ],
    problems:
      iss !== null && iss !== plan.issuer
        ? [`The issuer is ${iss}, but the log-in began at ${plan.issuer}.`]
        : [],
  };
}
