import type { Sighting } from "./render/sighting.ts";

/** One view and its outcome. */
export interface CheckedView {
  uri: string;
  tool: string | undefined;
  /** `undefined` if it wasn't rendered. */
  isShown: boolean | undefined;
  sightings: readonly Sighting[];
}
