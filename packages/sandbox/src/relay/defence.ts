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
  | "sandbox-tokens";

declare global {
  /** Put in by the bundler. In the published build it is empty, and no comparison with it is left. */
  const WITHOUT: Defence | "";
}
