// The axes of the stories' grid: one is spread over the columns, the others have one value each.

import type { ScenarioHost, Story } from "@vitrine/testing";
import type { HostProfile } from "../../src/dev/host-profile.ts";

/** A property of the host. */
export type Axis = "theme" | "width" | "locale" | "profile";

/** The chosen value of each axis; an empty one is the story's own. */
export type AxisValues = Record<Axis, string>;

/** One value of an axis. */
export interface AxisOption {
  value: string;
  label: string;
}

/** Names of the axes. */
export const AXES: Record<Axis, string> = {
  theme: "Theme",
  width: "Width",
  locale: "Language",
  profile: "Host",
};

const WIDTHS = [360, 720, 1024];
const LOCALES = ["en-US", "de-DE", "ar-EG", "ja-JP"];
const DEFAULT_WIDTH = 600;

/** The story's own values at first, side by side in both themes. */
export const FIRST_VALUES: AxisValues = { theme: "", width: "", locale: "", profile: "" };

/** The values that an axis has. */
export function optionsOf(axis: Axis, profiles: readonly HostProfile[]): AxisOption[] {
  switch (axis) {
    case "theme":
      return [
        { value: "light", label: "Light" },
        { value: "dark", label: "Dark" },
      ];
    case "width":
      return WIDTHS.map((width) => ({ value: String(width), label: `${width} px` }));
    case "locale":
      return LOCALES.map((value) => ({ value, label: value }));
    case "profile":
      return [
        { value: "strict", label: "Strict host" },
        ...profiles.map(({ id, name }) => ({ value: id, label: `Like ${name}` })),
      ];
  }
}

/** The host of a cell: the story's own, with the chosen values in their place. */
export function hostOfCell(
  { host = {} }: Pick<Story, "host">,
  { theme, width, locale, profile }: AxisValues,
): ScenarioHost {
  const { profile: own, ...rest } = host;
  const chosen = profile === "" ? own : profile;
  return {
    ...rest,
    ...(theme !== "" && { theme: theme as "light" | "dark" }),
    ...(locale !== "" && { locale }),
    ...(width !== "" && { width: Number(width) }),
    ...(chosen !== undefined && chosen !== "strict" && { profile: chosen }),
  };
}

/** The width of the view, which a profile may decide. */
export function widthOf({ width }: ScenarioHost, profile: HostProfile | undefined): number {
  return width ?? profile?.width ?? DEFAULT_WIDTH;
}
