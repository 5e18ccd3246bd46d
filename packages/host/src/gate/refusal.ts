import { REFUSED, RpcError } from "@vitrine/protocol";

/** An answer by which policy or user decline, as against an error that a Server gave. */
export function refusal(reason: string, code: number = REFUSED): RpcError {
  return Object.assign(new RpcError(code, reason), { isRefusal: true });
}

/** True for what `refusal` made. */
export function isRefusal(error: unknown): error is RpcError {
  return error instanceof RpcError && "isRefusal" in error;
}
