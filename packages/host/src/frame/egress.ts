import type { SandboxAddress } from "./frame.ts";

/** Whether this browser holds Views to the network addresses that they declared. */
export interface Egress {
  egress: "strict" | "partial";
  /** For a person, in words. */
  why: string;
}

/** Finds out by a page of the Sandbox that tries; only Hosts that insist on "strict" need to know. */
export async function probeEgress(sandbox: SandboxAddress): Promise<Egress> {
  const { findEgress } = await import("./egress-probe.ts");
  return findEgress(sandbox);
}
