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
  /** The id of the conversation that is shown. */
  current: string;
  /** The conversations in the page: the current one, and those whose model is still answering. */
  open: readonly string[];
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
  /** Whether the model is answering in a conversation, which then stays in the page. */
  setBusy(id: string, isBusy: boolean): void;
  setTheme(theme: Theme): void;
}

const THEME = "vitrine-chat-theme";

/** Creates the state of a page that was welcomed. */
export function createChatPage(api: Api, welcome: Welcome): ChatPage {
  const { model, conversations } = welcome;
  const first = conversationInAddress() ?? crypto.randomUUID();
  const busy = new Set<string>();
  const state = createStore<ChatState>({
    model,
    conversations,
    current: first,
    open: [first],
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
  // Nothing changes its place: a browser would load the views of a conversation that moves again.
  const stillOpen = (current: string): string[] => {
    const kept = state.get().open.filter((id) => id === current || busy.has(id));
    return kept.includes(current) ? kept : [...kept, current];
  };
  const open = (current: string): void => {
    showInAddress(current);
    state.set({ current, open: stillOpen(current), panel: "none" });
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
      busy.delete(id);
      await apps.thread(id).conversation.delete();
      views.drop(id);
      await api.remove(id);
      if (state.get().current === id) page.startNew();
      await refresh();
    },
    refresh,
    setBusy: (id, isBusy) => {
      if (isBusy) busy.add(id);
      else busy.delete(id);
      const { current, open: before } = state.get();
      const next = stillOpen(current);
      if (next.length !== before.length) state.set({ open: next });
    },
    setTheme: (theme) => {
      localStorage.setItem(THEME, theme);
      state.set({ theme });
      applyTheme();
    },
  };
  api.follow(
    ({ servers, questions, tools }: LiveState) => {
      // The same object for the same tools, because each message is drawn again for another one.
      const known = state.get().tools;
      const isSame = JSON.stringify(known) === JSON.stringify(tools);
      state.set({ servers, questions, tools: isSame ? known : tools });
    },
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
