import type { Link } from "../pipeline.ts";
import { refuse } from "../refusal.ts";
import type { SchemaCheck } from "../schema-check.ts";

/** Holds a call's arguments against the tool's own schema, before they cost the server anything. */
export function argumentsLink(check: SchemaCheck): Link {
  return {
    name: "arguments",
    run: ({ frame, tool }) => {
      if (!tool) return undefined;
      const given = frame.params?.arguments ?? {};
      if (typeof given !== "object" || given === null || Array.isArray(given)) {
        return refuse("arguments", "params.arguments must be an object.");
      }
      const mistake = check(tool.inputSchema, given);
      return mistake
        ? refuse("arguments", `The arguments do not fit the tool: ${mistake}`)
        : undefined;
    },
  };
}
