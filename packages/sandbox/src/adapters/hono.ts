import type { Sandbox } from "../handler.ts";

/** The part of Hono's context that is used. */
interface HonoContext {
  req: { raw: Request };
}

/** Middleware for Hono: answers what is for the Sandbox and passes on all else. */
export function createHonoMiddleware(
  sandbox: Pick<Sandbox, "fetch" | "handles">,
): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined> {
  return async ({ req }, next) => {
    if (sandbox.handles(req.raw)) return sandbox.fetch(req.raw);
    await next();
    return undefined;
  };
}
