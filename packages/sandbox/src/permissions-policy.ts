import type { McpUiResourcePermissions } from "@vitrine/protocol/apps";
import { isRecord, ownKeys, ownValue } from "./own-properties.ts";
import { type Rejected, rejected } from "./rejection.ts";

/** A permission that a UI resource can ask for. */
export type PermissionName = keyof McpUiResourcePermissions;

/** What an operator lets Views have. */
export interface PermissionOptions {
  /**
   * Permissions to grant to those who ask; none by default. A browser asks in the name of the
   * host's page, so a user who allowed the host the camera isn't asked again for a View.
   */
  permissions?: readonly PermissionName[];
  /** The View has an opaque origin, to which browsers give no device (tier 3). */
  opaque?: boolean;
}

/** The features of a View, for the response header and for the frame. */
export interface PermissionPolicy {
  /** `Permissions-Policy` of the View's document. */
  header: string;
  /** `allow` attribute of both frames. */
  allow: string;
  /** For `hostCapabilities.sandbox.permissions`. */
  grant: McpUiResourcePermissions;
  rejected: Rejected[];
}

const FEATURES: Record<PermissionName, string> = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
};
const NAMES = Object.keys(FEATURES) as PermissionName[];
const mostKeys = 16;

// Everything that Chromium 156 names in `document.featurePolicy.features()`. A feature that is left
// out has its default, which for many is "allowed", so the list is complete on purpose (E27, E150).
const ALL_FEATURES = [
  "accelerometer aria-notify autoplay browsing-topics camera captured-surface-control",
  "ch-device-memory ch-downlink ch-dpr ch-ect ch-prefers-color-scheme ch-prefers-reduced-motion",
  "ch-prefers-reduced-transparency ch-rtt ch-save-data ch-ua ch-ua-arch ch-ua-bitness",
  "ch-ua-form-factors ch-ua-full-version ch-ua-full-version-list ch-ua-high-entropy-values",
  "ch-ua-mobile ch-ua-model ch-ua-platform ch-ua-platform-version ch-ua-wow64 ch-viewport-height",
  "ch-viewport-width ch-width clipboard-read clipboard-write compute-pressure",
  "cross-origin-isolated deferred-fetch deferred-fetch-minimal digital-credentials-create",
  "digital-credentials-get display-capture encrypted-media fullscreen gamepad geolocation gyroscope",
  "hid identity-credentials-get idle-detection interest-cohort keyboard-map language-detector",
  "language-model local-fonts local-network local-network-access loopback-network magnetometer",
  "media-playback-while-not-visible microphone midi on-device-speech-recognition otp-credentials",
  "payment picture-in-picture private-state-token-issuance private-state-token-redemption",
  "publickey-credentials-create publickey-credentials-get screen-wake-lock serial",
  "speaker-selection storage-access summarizer sync-xhr translator unload usb window-management",
  "xr-spatial-tracking",
].flatMap((line) => line.split(" "));

/** Reads `_meta.ui.permissions`; never throws, and supports only the four features. */
export function buildPermissions(
  declared: unknown,
  options: PermissionOptions = {},
): PermissionPolicy {
  const refused: Rejected[] = [];
  const granted: PermissionName[] = [];
  if (declared !== undefined && !isRecord(declared)) {
    refused.push(rejected("permissions", declared, "not-an-object"));
  }
  for (const key of ownKeys(declared, mostKeys)) {
    if (!Object.hasOwn(FEATURES, key)) {
      refused.push(rejected("permissions", key, "unknown-permission"));
    }
  }
  for (const name of NAMES) {
    const wish = ownValue(declared, name);
    if (wish === undefined) continue;
    if (!isRecord(wish)) refused.push(rejected(`permissions.${name}`, wish, "not-an-object"));
    else if (options.opaque) refused.push(rejected("permissions", name, "needs-own-origin"));
    else if (options.permissions?.includes(name)) granted.push(name);
    else refused.push(rejected("permissions", name, "not-granted"));
  }
  return {
    header: permissionsHeader(granted, "self"),
    allow: granted.map((name) => FEATURES[name]).join("; "),
    grant: Object.fromEntries(granted.map((name) => [name, {}])),
    rejected: refused,
  };
}

/** `Permissions-Policy` that leaves the granted features to some origins and all others to none. */
export function permissionsHeader(granted: readonly PermissionName[], to: string): string {
  const kept = new Set(granted.map((name) => FEATURES[name]));
  return ALL_FEATURES.map((name) => `${name}=(${kept.has(name) ? to : ""})`).join(", ");
}
