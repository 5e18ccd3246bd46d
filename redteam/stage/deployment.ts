import type { Approval } from "@vitrine/sandbox";

/**
 * The columns of the matrix: two controls without any policy and the sandbox's three tiers.
 * `tier-1-listed` is tier 1 on a domain of the Public Suffix List, for checks of isolation alone.
 */
export type StageName =
  | "control-http"
  | "control-https"
  | "tier-1"
  | "tier-1-listed"
  | "tier-2"
  | "tier-3";

/** A view as an MCP server would deliver it. */
export interface StagedView {
  readonly name: string;
  readonly html: string;
  /** Identity of the MCP server it comes from. */
  readonly server: string;
  readonly user?: string;
  readonly csp?: unknown;
  readonly permissions?: unknown;
  /** What the user said yes to. */
  readonly approved?: readonly Approval[];
}

/** Somewhere a host page with views can be opened. */
export interface Stage {
  readonly name: StageName;
  /** Whether its pages are HTTPS, so that the attacker must be as well. */
  readonly secure: boolean;
  /** Registers the views behind a host page that mounts them. */
  prepare(views: readonly StagedView[]): Promise<Prepared>;
}

/** A host page that is ready to be opened. */
export interface Prepared {
  readonly url: string;
  /** By name of the view: a part of its address that no other document has. */
  readonly marks: Readonly<Record<string, string>>;
}
