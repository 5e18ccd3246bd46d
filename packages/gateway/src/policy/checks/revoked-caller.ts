import { type Refusal, refuse } from "../../errors/refusal.ts";
import type { Revocations } from "../../identity/revocations.ts";
import type { Caller } from "../caller.ts";
import type { PolicyCheck } from "../pipeline.ts";

/** Why a caller isn't accepted any more. A View gets a new ticket with its user's token. */
export function revocationRefusal(
  revocations: Pick<Revocations, "refusal">,
  caller: Caller,
): Refusal | undefined {
  const refusal = revocations.refusal(caller, caller.issuedAt);
  if (refusal?.code !== "unauthenticated" || caller.party === "model") return refusal;
  return refuse("ticket-expired", "The access of the view's user was revoked. Get a new ticket.");
}

/** Calls `fn` at each revocation, with a test for the callers that it ends. Newer tokens of the user stay valid. */
export function onRevokedCallers(
  revocations: Revocations,
  fn: (isRevoked: (caller: Caller) => boolean) => void,
): void {
  revocations.onRevoked(({ tenant, user }) =>
    fn((caller) => {
      const isOfUser = caller.tenant === tenant && caller.user === user;
      return isOfUser && revocationRefusal(revocations, caller) !== undefined;
    }),
  );
}

/** Rejects a revoked user's messages on connections that were opened before, and ends their running calls. */
export function revocationCheck(revocations: Revocations): PolicyCheck {
  const running = new Set<{ caller: Caller; end: AbortController }>();
  onRevokedCallers(revocations, (isRevoked) => {
    for (const { caller, end } of running) if (isRevoked(caller)) end.abort();
  });
  return {
    name: "revocation",
    run: (exchange) => {
      const { caller } = exchange;
      const refusal = revocationRefusal(revocations, caller);
      if (refusal) return refusal;
      const call = { caller, end: new AbortController() };
      running.add(call);
      exchange.signal = AbortSignal.any([exchange.signal, call.end.signal]);
      exchange.releases.push(() => running.delete(call));
      return undefined;
    },
  };
}
