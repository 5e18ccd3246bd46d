import type { Link } from "../pipeline.ts";
import { refuse } from "../refusal.ts";

const LONGEST_URI = 2048;

/**
 * What a View may read: the UI of its own server and what that server lists. Any other address would be
 * fetched with the server's credentials, for whoever wrote the View. Where the operator shows no Views of a
 * server, nobody reads them.
 */
export const resourceLink: Link = {
  name: "resource",
  run: (exchange) => {
    const { frame, caller, server } = exchange;
    if (frame.method !== "resources/read") return undefined;
    const { uri } = frame.params ?? {};
    if (server.settings.views === "deny" && /^ui:/i.test(`${uri}`)) {
      return refuse("foreign-resource", "Views of this server are not shown here.");
    }
    if (caller.party !== "view") return undefined;
    if (typeof uri !== "string" || uri.length > LONGEST_URI) {
      return refuse(
        "malformed",
        `params.uri must be a string of at most ${LONGEST_URI} characters.`,
      );
    }
    if (uri.startsWith("ui://")) return undefined;
    return server.catalogue
      .lists(uri, caller)
      .then((isListed) =>
        isListed
          ? undefined
          : refuse(
              "foreign-resource",
              "The server does not list that resource; see resources/list.",
            ),
      );
  },
};
