import type { CheckReport } from "../check.ts";

/** The report as data, for scripts; its format is versioned. */
export function renderJson({
  target,
  views,
  tools,
  uiTools,
  skipped,
  diagnosis,
}: CheckReport): string {
  const { verdict, cause, findings } = diagnosis;
  const shown = views.map(({ uri, tool, isShown, sightings }) => ({
    uri,
    tool,
    isShown: isShown ?? null,
    runs: sightings.map(({ run, stage, isInitialized, elapsed, look, colours, axe }) => ({
      run,
      stage,
      isInitialized,
      elapsed,
      text: look?.text.slice(0, 500) ?? null,
      height: look?.height ?? null,
      colours: colours ?? null,
      axe,
    })),
  }));
  const report = {
    version: 1,
    target,
    verdict,
    cause: cause ?? null,
    findings,
    views: shown,
    tools,
    uiTools,
    skipped: skipped.map(({ tool, reason }) => `${tool}: ${reason}`),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
