import type { ProtectedResources } from "../../identity/protected-resources.ts";
import type { PolicyCheck } from "../pipeline.ts";

/** Requests that the combined endpoint sends to every server, so that users see what they can log in for. */
const OF_ALL = /^(subscriptions\/listen|(tools|prompts|resources|resources\/templates)\/list)$/;

/**
 * The scopes that one server needs. At the server's own endpoint the token was checked before its message was
 * read. At the combined endpoint, the message decides which server it is for.
 */
export function scopesCheck(resources: ProtectedResources | undefined): PolicyCheck {
  return {
    name: "scopes",
    run: ({ caller, server, frame, isPart }) => {
      if (!isPart || OF_ALL.test(frame.method)) return undefined;
      const refusal = resources?.check(caller, server.id);
      return refusal && { ...refusal, data: { ...refusal.data, server: server.id } };
    },
  };
}
