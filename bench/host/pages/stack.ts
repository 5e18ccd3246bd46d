import type { HostSession } from "../../view/pages/host-session.ts";

/** A View to show. */
export interface ViewToShow {
  html: string;
  /** Whether its tool has run: it gets input and result. Otherwise partial inputs can follow. */
  done: boolean;
}

/** A Host with its sandbox: what differs between the variants. */
export interface Stack {
  /** Makes the View known, as its Server would; comes before the others. */
  load?(view: ViewToShow): void;
  /** Shows a View in an element, by all the steps that a page of this stack takes. */
  mount(container: HTMLElement, view: ViewToShow): HostSession;
  /** Gets the next View ready before it is wanted, where the stack can. */
  prepare?(view: ViewToShow): Promise<void>;
}

/** Where the sandboxes of the stacks are. */
export interface Addresses {
  /** The page in the manner of the official example. */
  official: string;
  /** The lean relays that do nothing but relay. */
  lean: string;
  port: string;
  /** The entrance of our Sandbox. */
  entrance: string;
}

/** Each module of a stack exports this. */
export type OpenStack = (addresses: Addresses) => Stack;
