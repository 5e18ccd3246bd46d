// The wire and the peer. Adding a name here makes it public; `test/exports.test.ts` pins the list.

export { type Channel, linkedChannels } from "./channel.ts";
export { LocalError, type PeerErrorCode, RpcError, wording } from "./errors.ts";
export {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isJsonRpcNotification,
  isJsonRpcRequest,
  isJsonRpcResponse,
  isRequestId,
  type JsonRpcError,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResult,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  REFUSED,
  type RequestId,
} from "./json-rpc.ts";
export {
  Peer,
  type PeerOptions,
  type Progress,
  type RequestContext,
  type RequestOptions,
} from "./peer.ts";
export { type PortLike, portChannel } from "./port-channel.ts";
export type { AnyTraffic, Notifies, ParamsOf, ResultOf, Serves, Traffic } from "./traffic.ts";
export {
  type TargetWindow,
  type WindowChannelOptions,
  windowChannel,
} from "./window-channel.ts";
