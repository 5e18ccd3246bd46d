// The apps of the page: one host for all conversations.

import { type ChatApps, createChatApps } from "@vitrine/chat";
import { themeContext } from "@vitrine/host";
import type { Welcome } from "../../src/chat/page-state.ts";
import type { Api } from "./api.ts";
import type { ViewStore } from "./view-store.ts";

/** Creates the apps. */
export function createPageApps(
  api: Api,
  { sandbox, store }: Pick<Welcome, "sandbox"> & { store: ViewStore },
): ChatApps {
  return createChatApps({
    url: "/api/apps",
    headers: () => api.headers,
    sandbox,
    store,
    user: "local",
    sample: "/api/sample",
    // The page asks about these calls first.
    needsApproval: (tool) => tool.annotations?.readOnlyHint !== true,
    regions: {
      area: () => document.querySelector("#conversation"),
      composer: () => document.querySelector("#composer"),
    },
    hostInfo: { name: "Vitrine chat", version: "0.1.0" },
  });
}

/** Gives views the theme that the user has chosen for the page. */
export function followTheme(apps: ChatApps, isDark: boolean): void {
  apps.host.setContext(themeContext(isDark ? "dark" : "light"));
}
