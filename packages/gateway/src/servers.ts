import type { Catalogue } from "./catalogue.ts";
import type { Upstream } from "./upstreams/upstream.ts";

/** What an operator decides about one server. */
export interface ServerSettings {
  /**
   * Who asks the user: `ask` wants a grant for tools that are not read-only, `always` for all of them,
   * `host` leaves it to the Host.
   */
  consent: "ask" | "always" | "host";
  /** Milliseconds that a call may take. */
  deadline: number;
  /** Whether its Views may be shown at all. */
  views: "allow" | "deny";
}

/**
 * A server as the gateway knows it. When the configuration is read again the same object has another
 * upstream: connections hold on to it.
 */
export interface ServerBinding {
  /** Of the configuration, never what the server calls itself. */
  readonly id: string;
  readonly settings: ServerSettings;
  readonly upstream: Upstream;
  readonly catalogue: Catalogue;
}

/** The servers at this moment; they change when the configuration is read again. */
export interface Servers {
  get(id: string): ServerBinding | undefined;
}
