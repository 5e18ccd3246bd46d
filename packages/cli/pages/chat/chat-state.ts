// The state of the page outside of a conversation: the list, the servers, open questions, settings.

import type { ChatApps } from "@vitrine/chat";
import type {
  ConversationSummary,
  LiveState,
  Question,
  ServerState,
  ToolFacts,
  Welcome,
} from "../../src/chat/page-state.ts";
import { createStore, type Store } from "../store.ts";
import type { Api } from "./api.ts";
import { conversationInAddress, showInAddress } from "./page-address.ts";
import { createPageApps, followTheme } from "./page-apps.ts";
import { createViewStore, type ViewStore } from "./view-store.ts";

/** What components read. */
export interface ChatState {
  model: string;
  conversations: readonly ConversationSummary[];
  /** The id of the open conversation. */
  current: string;
  servers: readonly ServerState[];
  questions: readonly Question[];
  tools: Readonly<Record<string, ToolFacts>>;
  /** The process doesn't answer. */
  isLost: boolean;
  /** The panel over the conversation. */
  panel: "none" | "list" | "settings";
  theme: Theme;
}

export type Theme = "system" | "light" | "dark";

/** The state and what users do to it. */
export interface ChatPage {
  readonly api: Api;
  readonly apps: ChatApps;
  readonly views: ViewStore;
  readonly state: Store<ChatState>;
  open(id: string): void;
  startNew(): void;
  rename(id: string, title: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Reads the list again, after a turn. */
  refresh(): Promise<void>;
  setTheme(theme: Theme): void;
}

const THEME = "vitrine-chat-theme";

/** Creates the state of a page that was welcomed. */
export function createChatPage(api: Api, welcome: Welcome): ChatPage {
  const { model, conversations } = welcome;
  const asked = conversationInAddress();
  const state = createStore<ChatState>({
    model,
    conversations,
    current: asked ?? crypto.randomUUID(),
    servers: [],
    questions: [],
    tools: {},
    isLost: false,
    panel: "none",
    theme: savedTheme(),
  });
  document.documentElement.dataset.theme = state.get().theme;
  const views = createViewStore(api, welcome);
  const apps = createPageApps(api, { sandbox: welcome.sandbox, store: views });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const applyTheme = (): void => {
    const { theme } = state.get();
    document.documentElement.dataset.theme = theme;
    followTheme(apps, theme === "system" ? dark.matches : theme === "dark");
  };
  dark.addEventListener("change", applyTheme);
  const open = (current: string): void => {
    showInAddress(current);
    state.set({ current, panel: "none" });
  };
  const refresh = async (): Promise<void> =>
    state.set({ conversations: await api.conversations() });
  const page: ChatPage = {
    api,
    apps,
    views,
    state,
    open,
    startNew: () => open(crypto.randomUUID()),
    rename: async (id, title) => {
      await api.rename(id, title);
      await refresh();
    },
    remove: async (id) => {
      await apps.thread(id).conversation.delete();
      views.drop(id);
      await api.remove(id);
      if (state.get().current === id) page.startNew();
      await refresh();
    },
    refresh,
    setTheme: (theme) => {
      localStorage.setItem(THEME, theme);
      state.set({ theme });
      applyTheme();
    },
  };
  api.follow(
    ({ servers, questions, tools }: LiveState) => state.set({ servers, questions, tools }),
    (isLost) => {
      if (state.get().isLost !== isLost) state.set({ isLost });
    },
  );
  return page;
}

function savedTheme(): Theme {
  const saved = localStorage.getItem(THEME);
  return saved === "light" || saved === "dark" ? saved : "system";
}
