import type { PermissionMessages } from "./messages.ts";

/** Loaded with the list of permissions. */
export const ENGLISH_PERMISSIONS: PermissionMessages = {
  kinds: {
    tool: "Use a tool",
    "app-tool": "Offer a tool to the assistant",
    link: "Open a website",
    message: "Send messages",
    download: "Save files",
    "display-mode": "Change how it is shown",
    sampling: "Ask the AI model",
    domains: "Connect to other sites",
  },
  allowed: { conversation: "Allowed in one conversation", always: "Always allowed" },
  denied: { conversation: "Not allowed in one conversation", always: "Never allowed" },
  empty: "No app has a lasting permission.",
  revoke: "Remove",
  revoked: "The permission was removed.",
  failed: "This didn’t work. Try again.",
};
