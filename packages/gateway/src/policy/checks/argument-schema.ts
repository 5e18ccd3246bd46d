import { type Refusal, refuse } from "../../errors/refusal.ts";
import type { PolicyCheck } from "../pipeline.ts";
import type { SchemaCheck, SchemaFinding } from "../schema-check.ts";
import type { ToolDefinition } from "../tool-definition.ts";

/** Checks a call's arguments against the tool's schema before the call reaches the server. */
export function argumentSchemaCheck({ check }: Pick<SchemaCheck, "check">): PolicyCheck {
  return {
    name: "arguments",
    run: ({ frame, tool, caller, server, signal }) => {
      if (!tool) return undefined;
      const given = frame.params?.arguments ?? {};
      if (typeof given !== "object" || given === null || Array.isArray(given)) {
        return refuse("arguments", "params.arguments must be an object.");
      }
      const { tenant, user } = caller;
      const found = check({
        ...{ schema: tool.inputSchema, value: given, signal },
        ...{ server: server.id, tool: tool.name, tenant, user },
      });
      return found instanceof Promise
        ? found.then((finding) => toRefusal(finding, tool))
        : toRefusal(found, tool);
    },
  };
}

function toRefusal(
  finding: SchemaFinding | undefined,
  { name }: ToolDefinition,
): Refusal | undefined {
  if (!finding) return undefined;
  if (finding.kind === "mistake") {
    return refuse("arguments", `The arguments don't match the tool's schema: ${finding.message}`);
  }
  if (finding.kind === "busy") {
    const message = "Too many calls are waiting for a check of their arguments. Try again later.";
    return refuse("busy", message, { retryAfter: 1 });
  }
  const { retryAfter } = finding;
  const shown = JSON.stringify(name.slice(0, 64));
  return refuse(
    "schema-limit",
    `The schema of the tool ${shown} takes too long to check, so its calls are rejected for ${retryAfter} s.`,
    { retryAfter, data: { tool: name.slice(0, 64) } },
  );
}
