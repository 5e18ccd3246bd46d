import type { McpUiResourcePermissions } from "@vitrine/protocol/apps";
import type { App } from "./app.ts";

// Each permission of the resource metadata → its browser feature.
const FEATURES: Record<keyof McpUiResourcePermissions, string> = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
};

type PolicyDocument = { featurePolicy?: { allowsFeature(feature: string): boolean } };

/**
 * The permissions this View really has: those the Host granted, minus those the browser withholds from
 * this frame (VEW-06). If the browser can't report them, the Host's list is used.
 */
export function grantedPermissions(app: App): Array<keyof McpUiResourcePermissions> {
  const granted = app.getHostCapabilities()?.sandbox?.permissions ?? {};
  const policy = (document as PolicyDocument).featurePolicy;
  const names = Object.keys(FEATURES) as Array<keyof McpUiResourcePermissions>;
  return names.filter((name) => granted[name] && (policy?.allowsFeature(FEATURES[name]) ?? true));
}
