import { REFUSED, RpcError } from "@vitrine/protocol";

/** A rejection by policy or user, as opposed to a server's error. */
export function refusal(reason: string, code: number = REFUSED): RpcError {
  return Object.assign(new RpcError(code, reason), { isRefusal: true });
}

/** True for errors that `refusal` created. */
export function isRefusal(error: unknown): error is RpcError {
  return error instanceof RpcError && "isRefusal" in error;
}
