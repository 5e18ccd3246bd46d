import { judge, type Refusal, type Verdict } from "./gate.ts";
import type { KillCode } from "./host-link.ts";
import type { RelayLimits } from "./page-settings.ts";
import { TokenBucket } from "./token-bucket.ts";
import { createScales } from "./weight.ts";

/** What becomes of a message, or of the View that sent it. */
export type Finding =
  | Exclude<Verdict, { refusal: Refusal }>
  | { refusal: Refusal | "rate" }
  | { stop: KillCode; detail: string };

/** Looks at each message of one View, once it is known to be the View's. */
export function createInspection(limits: RelayLimits): (event: MessageEvent) => Finding {
  const bucket = new TokenBucket(limits, performance.now());
  const findExcess = createScales(limits);
  return (event) => {
    // Before the data, as ever: to read it is what costs.
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

/** A port would be a way past every check that follows. */
function closePorts({ ports }: MessageEvent): { refusal: Refusal } {
  for (const port of ports) port.close();
  return { refusal: "not-json" };
}
