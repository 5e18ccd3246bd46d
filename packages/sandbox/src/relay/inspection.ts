import { judge, type Refusal, type Verdict } from "./gate.ts";
import type { KillCode } from "./host-link.ts";
import type { RelayLimits } from "./page-settings.ts";
import { TokenBucket } from "./token-bucket.ts";
import { createScales } from "./weight.ts";

/** The decision about a message, or about the View that sent it. */
export type Finding =
  | Exclude<Verdict, { refusal: Refusal }>
  | { refusal: Refusal | "rate" }
  | { stop: KillCode; detail: string };

/** Checks each message of one View, after its source was verified. */
export function createInspection(limits: RelayLimits): (event: MessageEvent) => Finding {
  const bucket = new TokenBucket(limits, performance.now());
  const findExcess = createScales(limits);
  return (event) => {
    // Before the data, because reading it is the slow part.
    const pace = WITHOUT === "rate" ? "pass" : bucket.take(performance.now());
    if (pace === "stop") return { stop: "flood", detail: "" };
    if (pace === "drop") return { refusal: "rate" };
    const verdict = event.ports.length > 0 ? closePorts(event) : judge(event.data, limits);
    if (!("refusal" in verdict)) return verdict;
    bucket.charge();
    const detail = WITHOUT !== "oversize" && findExcess(verdict.refusal, event.data);
    return detail ? { stop: "oversize", detail } : verdict;
  };
}

/** A port would bypass all further checks. */
function closePorts({ ports }: MessageEvent): { refusal: Refusal } {
  for (const port of ports) port.close();
  return { refusal: "not-json" };
}
