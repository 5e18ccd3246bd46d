export {
  type AddressGuard,
  type AddressGuardOptions,
  createAddressGuard,
} from "./address-guard.ts";
export { EraCache } from "./era.ts";
export { FairSlots, type SlotLimits } from "./fair-slots.ts";
export { createHttpUpstream, type HttpUpstreamOptions } from "./http-upstream.ts";
export { type ChildUser, findObstacle, findUser } from "./stdio/child-user.ts";
export { createStdioUpstream, type StdioUpstreamOptions } from "./stdio-upstream.ts";
export {
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamError,
  type UpstreamErrorCode,
  type UpstreamEvent,
  type UpstreamScope,
} from "./upstream.ts";
