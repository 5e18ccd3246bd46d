import type { Egress } from "./egress-probe.ts";
import type { SandboxAddress } from "./sandbox-address.ts";

/** Tests it with a page of the Sandbox, loaded on demand: only hosts that require "strict" need it. */
export async function probeEgress(sandbox: SandboxAddress): Promise<Egress> {
  const { findEgress } = await import("./egress-probe.ts");
  return findEgress(sandbox);
}
