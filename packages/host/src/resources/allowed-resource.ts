import { LocalError } from "@vitrine/protocol";
import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import type { DiagnosticCode } from "../diagnostic.ts";
import type { HostOptions } from "../host-options.ts";
import type { AppRequest } from "../hosted-view.ts";
import type { UiResource, UiResourceReader } from "./ui-resource.ts";

/** Why a view has no HTML. */
export type Failure = Partial<LocalError<DiagnosticCode>> & {
  detail?: string | undefined;
  cause?: unknown;
};

interface Source {
  options: Pick<HostOptions, "egress" | "sandbox" | "review">;
  resources: UiResourceReader;
}

/** Reads a view's HTML if it may be shown here; throws a `Failure` otherwise. */
export async function readAllowed(
  { upstream, tool }: Pick<AppRequest, "upstream" | "tool">,
  { options, resources }: Source,
  prepared?: UiResource,
): Promise<UiResource> {
  const { egress, sandbox, review } = options;
  const { uri, ...missing } = toolResourceUri(tool);
  if (uri === undefined) {
    const { code, reason } = missing as { code: string; reason?: string };
    throw failure(code === "invalid" ? "bad-resource-uri" : "no-resource", reason);
  }
  if (egress === "strict") {
    const { probeEgress } = await import("../frame/egress.ts");
    const found = await probeEgress(sandbox);
    if (found.egress !== "strict") throw failure("egress-partial", found.why);
  }
  const resource = prepared ?? (await resources.read(upstream, uri));
  if (review && (await review(resource)) !== true) throw failure("resource-refused", resource.hash);
  return resource;
}

function failure(code: DiagnosticCode, detail?: string): Failure {
  return Object.assign(new LocalError(code, detail), { detail });
}
