import type { Upstream } from "../upstreams/upstream.ts";
import type { Catalogue } from "./catalogue.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** The operator's settings for one server. */
export interface ServerSettings {
  /**
   * When a View's call needs consent: `ask` for tools that aren't read-only, `always` for all tools, `host`
   * if the Host decides.
   */
  consent: "ask" | "always" | "host";
  /** Milliseconds after which a call times out. */
  deadline: number;
  /** Whether the server's Views may be shown. */
  views: "allow" | "deny";
  /** What happens to tools that were added or changed: `report` shows the change, `hold` also hides them. */
  toolChanges: "report" | "hold";
  /** What its upstream needs of a caller besides tenant and user. */
  passes?: { groups?: boolean; token?: boolean } | undefined;
  /** The issuers whose users may use it. All by default. */
  issuers?: readonly string[] | undefined;
  /** Scopes that a token for it needs in addition. */
  scopes?: readonly string[] | undefined;
}

/**
 * A configured server. A reload of the configuration replaces the upstream in the same object, because
 * connections hold a reference to it.
 */
export interface ServerBinding {
  /** The name in the configuration, never the name that the server reports. */
  readonly id: string;
  readonly settings: ServerSettings;
  readonly upstream: Upstream;
  readonly catalogue: Catalogue;
  /** Whether an operator approved exactly this definition of a tool. */
  isApproved(tool: ToolDefinition): boolean;
}

/** The current servers. They change when the configuration is reloaded. */
export interface Servers {
  get(id: string): ServerBinding | undefined;
}
