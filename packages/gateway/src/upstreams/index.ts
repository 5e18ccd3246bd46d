export type { CallerMessage, RequestMessage } from "../json-rpc/message.ts";
export { parseSerialized } from "../json-rpc/parse.ts";
export { type MessageText, serialize } from "../json-rpc/serialize.ts";
export {
  type AddressGuard,
  type AddressGuardOptions,
  createAddressGuard,
} from "./address-guard.ts";
export { CallLifetime } from "./call-lifetime.ts";
export { EraCache } from "./era.ts";
export { FairSlots, type SlotLimits } from "./fair-slots.ts";
export { createHttpUpstream, type HttpUpstreamOptions } from "./http-upstream.ts";
export { isDirect, type OutboundProxy, proxyConnector } from "./proxy-tunnel.ts";
export { type ChildUser, findObstacle, findUser } from "./stdio/child-user.ts";
export { findMissingPart } from "./stdio/program-search.ts";
export { createBubblewrapRunner } from "./stdio/runners/bubblewrap.ts";
export { createContainerRunner } from "./stdio/runners/container.ts";
export { createKubernetesRunner } from "./stdio/runners/kubernetes.ts";
export type { Isolation, Runner } from "./stdio/runners/runner.ts";
export { createStdioUpstream, type StdioUpstreamOptions } from "./stdio-upstream.ts";
export { isRepeatable } from "./transport.ts";
export {
  type DiscoverResult,
  type ListenOptions,
  type OwnableUpstream,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamError,
  type UpstreamErrorCode,
  type UpstreamErrorFacts,
  type UpstreamEvent,
  type UpstreamScope,
} from "./upstream.ts";
