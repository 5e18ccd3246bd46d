/**
 * A defence of the gateway that a mutation run takes away, and the tests that must fail without it.
 * Nothing is edited on disk: the edits are applied while a source file is loaded.
 */
export interface GatewayDefence {
  /** `<package>-<noun>`, for example `gateway-schema-deadline`. */
  readonly name: string;
  readonly edits: readonly GatewayEdit[];
  /**
   * Tests that must fail without the defence, as `<path from the repository's root>#<part of the
   * test's title>`, or ids of attacks in `redteam/gateway/attacks`.
   */
  readonly noticedBy: readonly string[];
}

export interface GatewayEdit {
  /** Path from `packages/`, for example `gateway/src/policy/schema-check.ts`. */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
}
