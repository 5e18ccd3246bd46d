import type { Grants } from "../../grants.ts";
import type { Link } from "../pipeline.ts";
import { refuse } from "../refusal.ts";

/**
 * A View's call of a tool that may change something needs a grant of the user, who is asked by the Host.
 * Kept by (user, server, tool), so that no other server or user can spend it.
 */
export function consentLink(grants: Grants): Link {
  return {
    name: "consent",
    run: (exchange) => {
      const { caller, tool, server } = exchange;
      if (caller.party !== "view" || !tool || server.settings.consent === "host") return undefined;
      // The server's word about itself; an operator who does not take it says so.
      const isReadOnly = tool.annotations?.readOnlyHint === true;
      if (isReadOnly && server.settings.consent !== "always") return undefined;
      return grants.spend(exchange).then((isGranted) =>
        isGranted
          ? undefined
          : refuse("consent-required", `The user has not allowed ${JSON.stringify(tool.name)}.`, {
              data: { server: server.id, tool: tool.name },
            }),
      );
    },
  };
}
