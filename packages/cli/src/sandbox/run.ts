import type { Deployment } from "./deployment.ts";
import type { Send } from "./exchange.ts";

/** What every part of a verification works with. */
export interface Run {
  deployment: Deployment;
  /** The page that embeds views, if one was named. */
  host: string | undefined;
  send: Send;
  /** The deployment's key, with which credentials can be issued. */
  key: string | undefined;
  /** How many connections to try, in order to meet several instances. */
  connections: number;
}
