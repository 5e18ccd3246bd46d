import type { HostedView } from "./hosted-view.ts";

/**
 * Answers a view's request for a method of your product. `params` is plain JSON of bounded size, and
 * otherwise whatever the view sent. Throw an `RpcError` to decline; of other errors a view learns nothing.
 */
export type HostMethod = (
  params: unknown,
  context: {
    view: HostedView;
    /** Aborted when the view cancels or goes away. */
    signal: AbortSignal;
  },
) => unknown;

/** Methods of your product by name. No method of a specification starts with `x-`. */
export type HostMethods = Readonly<Record<`x-${string}/${string}`, HostMethod>>;
