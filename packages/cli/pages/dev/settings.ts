// The simulated host: its host context and its profile.

import { themeContext } from "@vitrine/host";
import type { McpUiHostContext } from "@vitrine/protocol/apps";
import type { HostProfile } from "../../src/dev/host-profile.ts";
import { type Faults, NO_FAULTS } from "./faults.ts";

/** All settings. */
export interface Settings {
  theme: "light" | "dark";
  /** BCP 47. */
  locale: string;
  /** IANA. */
  timeZone: string;
  /** Pixels on every side. */
  safeArea: number;
  /** Of `DEVICES`. */
  device: string;
  /** Of `ZOOMS`. */
  zoom: Zoom;
  /** The id of a profile; none is this host itself. */
  profile: string;
  /** Input is streamed, as a model writes it. */
  streaming: boolean;
  faults: Faults;
}

/** How large the view is drawn; "fit" shrinks a device that is wider than the page has room for. */
export type Zoom = "fit" | 1 | 0.75 | 0.5;

export const ZOOMS: readonly Zoom[] = ["fit", 1, 0.75, 0.5];

/** A screen. */
export interface Device {
  id: string;
  name: string;
  /** The view's width in pixels; without it, all available width. */
  width?: number;
  touch: boolean;
  platform: "web" | "desktop" | "mobile";
}

/** The sizes at which views often break. */
export const DEVICES: readonly Device[] = [
  { id: "fit", name: "Fit width", touch: false, platform: "web" },
  { id: "phone-small", name: "Phone 360", width: 360, touch: true, platform: "mobile" },
  { id: "phone", name: "Phone 390", width: 390, touch: true, platform: "mobile" },
  { id: "chat", name: "Chat 720", width: 720, touch: false, platform: "web" },
  { id: "tablet", name: "Tablet 820", width: 820, touch: true, platform: "mobile" },
  { id: "desktop", name: "Desktop 1200", width: 1200, touch: false, platform: "desktop" },
];

/** Languages that reveal problems: long words, right to left, other digits and scripts. */
export const LOCALES: readonly string[] = [
  "en-US",
  "de-DE",
  "fr-FR",
  "es-ES",
  "pt-BR",
  "ar-EG",
  "he-IL",
  "ja-JP",
  "zh-CN",
  "hi-IN",
];

/** The direction in which a language is written. */
export function directionOf(locale: string): "ltr" | "rtl" {
  try {
    const language = new Intl.Locale(locale) as Intl.Locale & {
      getTextInfo?(): { direction?: string };
      textInfo?: { direction?: string };
    };
    const info = language.getTextInfo?.() ?? language.textInfo;
    return info?.direction === "rtl" ? "rtl" : "ltr";
  } catch {
    return "ltr";
  }
}

/** A language as it is listed. */
export function localeName(locale: string): string {
  return directionOf(locale) === "rtl" ? `${locale}, right to left` : locale;
}

export const TIME_ZONES: readonly string[] = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Los_Angeles",
  "Asia/Kolkata",
  "Asia/Tokyo",
  "Pacific/Chatham",
];

/** The defaults. */
export function defaultSettings(): Settings {
  return {
    theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    safeArea: 0,
    device: "fit",
    zoom: "fit",
    profile: "",
    streaming: false,
    faults: NO_FAULTS,
  };
}

const KEY = "vitrine-dev-settings";

/** The settings of this tab. */
export function savedSettings(): Settings {
  try {
    const saved = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Settings>;
    // A fault that stays on after a reload would be confusing.
    return { ...defaultSettings(), ...saved, faults: NO_FAULTS };
  } catch {
    return defaultSettings();
  }
}

/** Keeps them for the next load of this tab. */
export function saveSettings(settings: Settings): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Then they only apply to this page.
  }
}

/** The selected device. */
export function deviceOf({ device }: Pick<Settings, "device">): Device {
  return DEVICES.find(({ id }) => id === device) ?? (DEVICES[0] as Device);
}

/** The host context of every view. */
export function contextOf(settings: Settings, profile: HostProfile | undefined): McpUiHostContext {
  const { theme, locale, timeZone, safeArea, faults } = settings;
  const { touch, platform } = deviceOf(settings);
  const { styles, ...look } = themeContext(theme);
  const insets = { top: safeArea, right: safeArea, bottom: safeArea, left: safeArea };
  return {
    ...look,
    // Included even if empty: otherwise the context keeps the old value.
    styles: faults.noStyles ? { variables: {} } : styles,
    locale,
    timeZone,
    platform,
    deviceCapabilities: { touch, hover: !touch },
    ...profile?.context,
    ...((safeArea > 0 || !profile?.context.safeAreaInsets) && { safeAreaInsets: insets }),
  } as McpUiHostContext;
}
