import type { StageName } from "../stage/deployment.ts";

/** A means that connects two views although nothing else does, and why that can't be closed. */
export interface IsolationLimit {
  readonly means: readonly string[];
  readonly engines: readonly ("chromium" | "firefox" | "webkit")[];
  readonly stages: readonly StageName[];
  readonly reason: string;
  /** Engines in which it connects views in some runs only. */
  readonly irregularIn?: readonly ("chromium" | "firefox" | "webkit")[];
}

const EVERY_ENGINE = ["chromium", "firefox", "webkit"] as const;
const EVERY_STAGE = ["tier-1", "tier-1-listed", "tier-2", "tier-3"] as const;

/** Everything that connects views. A means that isn't listed here fails the checks of isolation. */
export const ISOLATION_LIMITS: readonly IsolationLimit[] = [
  {
    means: ["document.cookie", "document.cookie of a nested frame", "cookieStore"],
    engines: ["chromium", "firefox"],
    stages: ["tier-1"],
    reason: "Domain= cookies: the sandbox's domain isn't on the Public Suffix List",
  },
  {
    means: ["HTTP cache"],
    engines: ["chromium"],
    stages: ["tier-1"],
    reason: "one site, one cache: the sandbox's domain isn't on the Public Suffix List",
  },
  {
    means: ["HTTP cache"],
    engines: ["firefox"],
    stages: EVERY_STAGE,
    reason: "its cache is divided by the top page's site alone, not by the frame's",
  },
  {
    means: ["windows of the host"],
    engines: ["firefox"],
    stages: ["tier-1", "tier-1-listed", "tier-2"],
    reason: "it counts frames in closed shadow roots among a page's windows",
  },
  {
    means: ["windows of its proxy", "message"],
    engines: ["firefox"],
    stages: ["tier-1-listed", "tier-2"],
    reason:
      "windows in closed shadow roots can be posted to; `sibling-windows` shows what comes of it",
  },
  {
    means: ["history.length"],
    engines: EVERY_ENGINE,
    stages: EVERY_STAGE,
    reason: "a page and its frames have one history; only its length is visible",
    // It updates the length in frames of other processes late, or never.
    irregularIn: ["webkit"],
  },
];

/** The means that connect views of one engine and stage. */
export function limitsOf(engine: string, stage: StageName): string[] {
  return ISOLATION_LIMITS.filter(
    ({ engines, stages }) => engines.some((one) => one === engine) && stages.includes(stage),
  ).flatMap(({ means }) => means);
}

/** Whether a means connects views of an engine in some runs only. */
export function isIrregular(engine: string, means: string): boolean {
  return ISOLATION_LIMITS.some(
    (limit) => limit.means.includes(means) && limit.irregularIn?.some((one) => one === engine),
  );
}
