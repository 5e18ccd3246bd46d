/** Names the defence that a process, and every process it starts, has to run without. */
export const WITHOUT = "VITRINE_REDTEAM_WITHOUT";

/** What a process needs so that its source files are loaded without a defence. */
export function preloadEdits(without: string | undefined): {
  args: string[];
  environment: Record<string, string>;
} {
  if (!without) return { args: [], environment: {} };
  const hook = new URL("./loader-hook.ts", import.meta.url).href;
  return { args: ["--import", hook], environment: { [WITHOUT]: without } };
}
