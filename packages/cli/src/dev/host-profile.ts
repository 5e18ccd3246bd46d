import type {
  Implementation,
  McpUiDisplayMode,
  McpUiHostCapabilities,
  McpUiHostContext,
} from "@vitrine/protocol/apps";

/** The measured behaviour of a host on a certain day. */
export interface HostProfile {
  id: string;
  name: string;
  /** The day, as in 2026-08-22. */
  measured: string;
  /** The author of the measurement, and where it is published. */
  source: string;
  hostInfo: Implementation;
  displayModes: McpUiDisplayMode[];
  capabilities: McpUiHostCapabilities;
  /** The part of the host context that doesn't depend on the user. */
  context: McpUiHostContext;
  /** Width in pixels of the column that contains views, if known. */
  width?: number;
  /** Features that were granted. */
  permissions?: string[];
  /** Other observations, which aren't simulated here. */
  facts: string[];
}

const MODES: readonly unknown[] = ["inline", "fullscreen", "pip"];

/** Throws with the location if a file isn't a profile. */
export function checkProfile(value: unknown, file: string): HostProfile {
  const profile = Object(value) as Partial<HostProfile>;
  const fail = (field: string): never => {
    throw new Error(
      `${file} is not a profile: "${field}" is ${JSON.stringify(profile[field as "id"])}.`,
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
