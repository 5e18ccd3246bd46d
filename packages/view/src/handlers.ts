import type { RequestContext } from "@vitrine/protocol";
import type { HostRequests } from "@vitrine/protocol/apps";

/** A request or notification of any method. */
export interface AnyMessage {
  method: string;
  params?: Record<string, unknown> | undefined;
}

/** What a request handler gets beside the params: the shape of the official SDK's context. */
export interface RequestHandlerExtra {
  mcpReq: RequestContext;
}

/** Answers a request of the Host: by its method, or of any params. */
export type Handler<P> = P extends keyof HostRequests
  ? (
      params: HostRequests[P]["params"],
      extra: RequestHandlerExtra,
    ) => HostRequests[P]["result"] | Promise<HostRequests[P]["result"]>
  : (params: P, extra: RequestHandlerExtra) => unknown;

/** A handler whose params have been forgotten. */
export type AnyHandler = (params: never, extra: RequestHandlerExtra) => unknown;
