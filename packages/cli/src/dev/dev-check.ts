// `vitrine check` for the dev page: one at a time, for all pages. Its texts and pictures are the
// server's and the views', so they are bounded here, and the page shows them as text and pictures only.

import type { CheckReport } from "../check/check.ts";
import type { Picture } from "../check/render/picture.ts";
import { wordsOf } from "../failure.ts";

/** Runs a check, and is called with each picture. */
export type RunCheck = (onPicture: (picture: Picture) => void) => Promise<CheckReport>;

/** A picture for the page. */
export interface CheckPicture extends Omit<Picture, "png"> {
  /** The PNG in Base64. */
  png: string;
}

/** A finding for the page. */
export interface CheckFinding {
  code: string;
  severity: "error" | "warning" | "info";
  cause: string;
  remedy: string;
  tool?: string;
  /** The state of a picture that shows it. */
  state?: string;
  /** The author's file, line and column. */
  where?: string;
}

/** The result of a check. */
export interface CheckOutcome {
  verdict: string;
  findings: CheckFinding[];
  /** Views that were shown, of all. */
  shown: number;
  views: number;
  /** Tools that weren't called, and why. */
  skipped: { tool: string; reason: string }[];
  elapsed: number;
}

const MOST_FINDINGS = 300;
const MOST_PICTURES = 200;
const LONGEST = 2_000;
const LARGEST_PICTURE = 4_000_000;

/** Runs a check when a page asks for one; pages that ask while it runs get the same. */
export function createDevCheck(
  run: RunCheck,
  onPicture: (picture: CheckPicture) => void,
): () => Promise<CheckOutcome | { failure: string }> {
  let running: Promise<CheckOutcome | { failure: string }> | undefined;
  const start = async (): Promise<CheckOutcome | { failure: string }> => {
    let left = MOST_PICTURES;
    try {
      const report = await run(({ png, tool, ...picture }) => {
        if (left-- <= 0 || png.length > LARGEST_PICTURE) return;
        onPicture({ ...picture, tool: short(tool), png: png.toString("base64") });
      });
      return outcomeOf(report);
    } catch (error) {
      return { failure: short(wordsOf(error)) };
    } finally {
      running = undefined;
    }
  };
  return () => {
    running ??= start();
    return running;
  };
}

function outcomeOf({ diagnosis, views, skipped, elapsed }: CheckReport): CheckOutcome {
  return {
    verdict: diagnosis.verdict,
    findings: diagnosis.findings.slice(0, MOST_FINDINGS).map(({ place, ...one }) => ({
      code: one.code,
      severity: one.severity,
      cause: short(one.cause),
      remedy: short(one.remedy),
      ...(place.tool !== undefined && { tool: short(place.tool) }),
      ...(place.run !== undefined && { state: place.run }),
      ...(place.source && {
        where: short(`${place.source.file}:${place.source.line}:${place.source.column}`),
      }),
    })),
    shown: views.filter(({ isShown }) => isShown).length,
    views: views.length,
    skipped: skipped.slice(0, MOST_FINDINGS).map(({ tool, reason }) => ({
      tool: short(tool),
      reason: short(reason),
    })),
    elapsed: Math.round(elapsed),
  };
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
