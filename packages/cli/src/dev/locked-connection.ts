import { Client } from "@modelcontextprotocol/client";
import type { ServerConnection } from "../target/server-connection.ts";
import { nameOf, type Target } from "../target/target.ts";

/** Stands for a server until the user has logged in: its lists are empty, and it rejects other requests. */
export function lockedConnection(target: Target): ServerConnection {
  return {
    client: new Client({ name: "vitrine", version: "0.1.0" }),
    era: "modern",
    stderr: "",
    upstream: {
      server: nameOf(target),
      capabilities: {},
      request: async (method) => {
        const [kind = "", verb] = method.split("/");
        if (verb === "list") return { [kind]: [] } as never;
        throw new Error("This server wants you to log in first.");
      },
      onListChanged: () => () => {},
    },
    close: async () => {},
  };
}
