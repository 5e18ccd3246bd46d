import type { RequestContext, RequestId } from "@vitrine/protocol";
import type { HostRequests } from "@vitrine/protocol/apps";

/** A request or notification of any method. */
export interface AnyMessage {
  method: string;
  params?: Record<string, unknown> | undefined;
}

/** The second argument of a request handler, in the shape of the official SDK's context. */
export interface RequestHandlerExtra {
  mcpReq: RequestContext & {
    /** The request's metadata; has a `progressToken` if the Host wants progress. */
    readonly _meta?: { progressToken?: RequestId; [key: string]: unknown } | undefined;
    /** Sends a notification about this request, such as `notifications/progress`. */
    notify(notification: AnyMessage): Promise<void>;
  };
}

/** Handles a request of the Host, typed by its method or with any params. */
export type Handler<P> = P extends keyof HostRequests
  ? (
      params: HostRequests[P]["params"],
      extra: RequestHandlerExtra,
    ) => HostRequests[P]["result"] | Promise<HostRequests[P]["result"]>
  : (params: P, extra: RequestHandlerExtra) => unknown;

/** A handler with any params. */
export type AnyHandler = (params: never, extra: RequestHandlerExtra) => unknown;
