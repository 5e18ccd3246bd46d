import { refuse } from "../../errors/refusal.ts";
import type { Grants } from "../grants.ts";
import type { PolicyCheck } from "../pipeline.ts";

/**
 * A View's call of a tool that may change something needs a grant from the user, which the Host asks for.
 * Grants are stored by user, server and tool, so that no other server or user can spend them.
 */
export function consentCheck(grants: Grants): PolicyCheck {
  return {
    name: "consent",
    run: (exchange) => {
      const { caller, tool, server, access } = exchange;
      // The user has approved exactly this call, because a policy wanted it. In the mode `log`, nobody was asked.
      if (access?.approval === "user" && !access.isOnlyRecorded) return undefined;
      if (caller.party !== "view" || !tool || server.settings.consent === "host") return undefined;
      // The server declares this itself. An operator who doesn't trust the server sets consent to "always".
      const isReadOnly = tool.annotations?.readOnlyHint === true;
      if (isReadOnly && server.settings.consent !== "always") return undefined;
      return grants.spend(exchange).then((isGranted) =>
        isGranted
          ? undefined
          : refuse(
              "consent-required",
              `The user hasn't allowed ${JSON.stringify(tool.name)} yet. Ask the user for consent.`,
              {
                data: { server: server.id, tool: tool.name },
              },
            ),
      );
    },
  };
}
