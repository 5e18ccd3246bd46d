import type { Sandbox } from "../handler.ts";

/** The part of Hono's context that is used. */
interface HonoContext {
  req: { raw: Request };
  /** What the server adds; `@hono/node-server` adds Node's own request. */
  env: unknown;
}

/** What the middleware can't know by itself. */
export interface HonoMiddlewareOptions {
  /**
   * The address of a request's client, by which quotas are kept. By default that of the connection
   * with `@hono/node-server`, and unknown elsewhere: there pass `getConnInfo` of your runtime.
   */
  addressOf?(context: HonoContext): string | undefined;
}

/** Middleware for Hono: answers requests for the Sandbox and passes on all others. */
export function createHonoMiddleware(
  sandbox: Pick<Sandbox, "fetch" | "handles">,
  { addressOf = nodeAddress }: HonoMiddlewareOptions = {},
): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (context, next) => {
    const { raw } = context.req;
    if (sandbox.handles(raw)) return sandbox.fetch(raw, { address: addressOf(context) });
    await next();
    return undefined;
  };
}

function nodeAddress({ env }: HonoContext): string | undefined {
  const { incoming } = Object(env) as { incoming?: { socket?: { remoteAddress?: string } } };
  return incoming?.socket?.remoteAddress;
}
