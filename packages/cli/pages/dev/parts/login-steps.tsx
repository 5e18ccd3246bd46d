import type { ReactNode } from "react";
import type { LoginStep, LoginStepKind } from "../../../src/auth/login-step.ts";

const NAMES: Record<LoginStepKind, readonly [title: string, meaning: string]> = {
  challenge: ["Challenge", "The server rejects a request and names its metadata."],
  "resource-metadata": [
    "Resource metadata",
    "The server names its authorization server (RFC 9728).",
  ],
  "issuer-metadata": [
    "Issuer metadata",
    "The authorization server lists its endpoints (RFC 8414).",
  ],
  registration: ["Registration", "Vitrine registers itself as a client (RFC 7591)."],
  authorization: ["Authorization", "You log in there, in your browser, with PKCE."],
  callback: ["Callback", "The browser comes back with a code."],
  token: ["Code exchange", "The code is exchanged for a token of this server (RFC 8707)."],
  refresh: ["Refresh", "An expired token is exchanged for a new one."],
};

/** The request, the response and the problems of each step. */
export function LoginSteps({ steps }: { steps: readonly LoginStep[] }): ReactNode {
  return (
    <ol className="login-steps">
      {steps.map(({ kind, at, request, status, found, problems }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they only grow at the end.
        <li key={index} data-kind={kind} data-problems={problems.length > 0}>
          <h3>
            {NAMES[kind][0]} <span className="quiet">{NAMES[kind][1]}</span>
          </h3>
          <p className="login-request">
            <code>{request}</code>
            {status !== undefined && <code className="login-status">{status}</code>}
            <time className="quiet">{new Date(at).toLocaleTimeString()}</time>
          </p>
          {found.length > 0 && (
            <dl>
              {found.map(([label, text]) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          )}
          {problems.map((problem) => (
            <p key={problem} className="login-problem">
              {problem}
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}
