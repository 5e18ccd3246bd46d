/** The steps of a log-in, in their order. */
export type LoginStepKind =
  | "challenge"
  | "resource-metadata"
  | "issuer-metadata"
  | "registration"
  | "authorization"
  | "callback"
  | "token"
  | "refresh";

/** One step as the page shows it. It never contains a secret. */
export interface LoginStep {
  readonly kind: LoginStepKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Method and address of the request. */
  readonly request: string;
  /** The status of the response; none if there was no response. */
  readonly status?: number | undefined;
  /** What the response contained, as label and text. */
  readonly found: readonly (readonly [label: string, text: string])[];
  /** Its problems, each with the way to fix it. */
  readonly problems: readonly string[];
}

/** The log-in of one server as the page shows it. */
export interface LoginState {
  /** Whether the server rejects requests until the user logs in. */
  readonly isNeeded: boolean;
  /** Whether a token is stored. */
  readonly isLoggedIn: boolean;
  /** The scopes that the server asked for last. */
  readonly scope?: string | undefined;
  /** Why the last attempt failed. */
  readonly failure?: string | undefined;
  readonly steps: readonly LoginStep[];
}
