// `@vitrine/host/remote`: `createAppsHandler` for the product's server, `createRemoteServers` and
// `remoteUpstream` for its page. Adding a name here makes it public.

export { UPSTREAM_METHODS } from "../upstreams/upstream.ts";
export type { AiSdkClientLike, AppsClient, AppsClients, ViewAddress } from "./apps-client.ts";
export { upstreamOf } from "./apps-client.ts";
export {
  type AppsEvent,
  type AppsHandler,
  type AppsHandlerOptions,
  createAppsHandler,
} from "./apps-handler.ts";
export type { AppsPolicy, AppsUser, DenialCode, ViewCall } from "./call-policy.ts";
export type { OpenedView, RemoteServer, ViewTool } from "./remote-messages.ts";
export {
  createRemoteServers,
  type RemoteServers,
  type RemoteServersOptions,
  remoteUpstream,
} from "./remote-servers.ts";
export { RequestRejection, readJsonBody } from "./request-body.ts";
