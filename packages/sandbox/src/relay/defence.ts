/** A defence that a test build can leave out, to show that its attack then succeeds. */
export type Defence =
  | "source"
  | "origin"
  | "prefix"
  | "size"
  | "rate"
  | "oversize"
  | "round-trip"
  | "kill"
  | "hold"
  | "self-test"
  | "sandbox-tokens"
  | "alt-click"
  | "history"
  | "storage";

declare global {
  /** Set by the bundler. It is empty in the published build, which contains no comparison with it. */
  const WITHOUT: Defence | "";
}
