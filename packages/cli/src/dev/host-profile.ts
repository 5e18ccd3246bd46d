import type {
  Implementation,
  McpUiDisplayMode,
  McpUiHostCapabilities,
  McpUiHostContext,
} from "@vitrine/protocol/apps";

/** A Host, as it was on a day. */
export interface HostProfile {
  id: string;
  name: string;
  /** The day, as in 2026-08-22. */
  measured: string;
  /** Who measured it, and where it can be read. */
  source: string;
  hostInfo: Implementation;
  displayModes: McpUiDisplayMode[];
  capabilities: McpUiHostCapabilities;
  /** Of the context, what does not depend on the person. */
  context: McpUiHostContext;
  /** Pixels of the column that Views stand in, where that is known. */
  width?: number;
  /** Features that were granted. */
  permissions?: string[];
  /** What else was seen; nothing of it is done here. */
  facts: string[];
}

const MODES: readonly unknown[] = ["inline", "fullscreen", "pip"];

/** Throws with the place if a file is not a profile. */
export function checkProfile(value: unknown, file: string): HostProfile {
  const profile = Object(value) as Partial<HostProfile>;
  const fail = (field: string): never => {
    throw new Error(
      `${file} is no profile: "${field}" is ${JSON.stringify(profile[field as "id"])}.`,
    );
  };
  for (const field of ["id", "name", "source"] as const) if (!profile[field]) fail(field);
  if (!/^\d{4}-\d\d-\d\d$/.test(profile.measured ?? "")) fail("measured");
  if (!profile.hostInfo?.name || !profile.hostInfo.version) fail("hostInfo");
  const { displayModes, capabilities, context, facts } = profile;
  if (!displayModes?.length || !displayModes.every((mode) => MODES.includes(mode)))
    fail("displayModes");
  for (const [field, object] of Object.entries({ capabilities, context })) {
    if (typeof object !== "object" || object === null || Array.isArray(object)) fail(field);
  }
  if (!Array.isArray(facts) || !facts.every((fact) => typeof fact === "string")) fail("facts");
  return profile as HostProfile;
}
