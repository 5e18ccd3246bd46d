import type { McpUiResourcePermissions } from "@vitrine/protocol/apps";
import type { App } from "./app.ts";

// Each permission of the resource metadata → the browser feature it stands for.
const FEATURES: Record<keyof McpUiResourcePermissions, string> = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
};

type PolicyDocument = { featurePolicy?: { allowsFeature(feature: string): boolean } };

/**
 * The permissions this View really has: those the Host says it granted, less those the browser
 * withholds from this frame (VEW-06). A browser that cannot tell is taken at the Host's word.
 */
export function grantedPermissions(app: App): Array<keyof McpUiResourcePermissions> {
  const granted = app.getHostCapabilities()?.sandbox?.permissions ?? {};
  const policy = (document as PolicyDocument).featurePolicy;
  const names = Object.keys(FEATURES) as Array<keyof McpUiResourcePermissions>;
  return names.filter((name) => granted[name] && (policy?.allowsFeature(FEATURES[name]) ?? true));
}
