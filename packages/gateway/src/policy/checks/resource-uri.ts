import { refuse } from "../../errors/refusal.ts";
import { ownUri } from "../combined/addresses.ts";
import type { PolicyCheck } from "../pipeline.ts";

const LONGEST_URI = 2048;

/**
 * A View may read the UI of its own server and the resources that the server lists. The server would fetch
 * any other address with its own credentials, on behalf of the View's author. If the operator disabled a
 * server's Views, nobody can read them.
 */
export const resourceUriCheck: PolicyCheck = {
  name: "resource",
  run: (exchange) => {
    const { frame, caller, server } = exchange;
    if (frame.method !== "resources/read") return undefined;
    const { uri } = frame.params ?? {};
    if (server.settings.views === "deny" && /^ui:/i.test(`${uri}`)) {
      return refuse("foreign-resource", "The operator disabled the views of this server.");
    }
    if (caller.party !== "view") return undefined;
    if (typeof uri !== "string" || uri.length > LONGEST_URI) {
      return refuse(
        "malformed",
        `params.uri must be a string of at most ${LONGEST_URI} characters.`,
      );
    }
    if (uri.startsWith("ui://")) return undefined;
    // The host may have the address from the combined endpoint.
    const own = ownUri(server.id, uri);
    if (own !== uri) exchange.frame = { ...frame, params: { ...frame.params, uri: own } };
    return server.catalogue
      .lists(own, caller)
      .then((isListed) =>
        isListed
          ? undefined
          : refuse(
              "foreign-resource",
              "The server doesn't list this resource. See resources/list.",
            ),
      );
  },
};
