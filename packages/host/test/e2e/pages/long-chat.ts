// A chat with a long conversation, as a product shows it after a reload: all messages at once, scrolled to
// the last one.

import {
  type Conversation,
  callbacksUpstream,
  createHost,
  type HostOptions,
  webStore,
} from "@vitrine/host";

/** The views that were shown, and the time that the first one took. */
export interface ChatState {
  /** Keys of the views that were shown, in this order. */
  shown: string[];
  /** Milliseconds from the first mount to the first view that was shown. */
  first: number | undefined;
}

declare global {
  interface Window {
    openChat(messages: number, html: string, options: HostOptions): ChatState;
    /** Gives the other messages the records of the first ones, as if the user had seen them all. */
    recordAll(messages: number): Promise<void>;
  }
}

const TOOLS = 5;

let conversation: Conversation;

window.recordAll = async (messages) => {
  const { version, views } = await conversation.exportRecords();
  const all = Array.from({ length: messages }, (_, n) => [`${n}`, views[n % TOOLS]]);
  await conversation.close();
  await conversation.importRecords({ version, views: Object.fromEntries(all) });
};

window.openChat = (messages, html, options) => {
  const state: ChatState = { shown: [], first: undefined };
  const host = createHost({ store: webStore(), ...options });
  conversation = host.conversation("chat");
  const upstream = callbacksUpstream({
    server: "charts",
    listTools: async () => ({ tools: [] }),
    readResource: async ({ uri }) => ({
      contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: html }],
    }),
    callTool: async () => ({ content: [] }),
  });
  const began = performance.now();
  for (let n = 0; n < messages; n++) {
    const text = document.createElement("p");
    text.textContent = `Message ${n}`;
    const place = document.createElement("div");
    document.body.append(text, place);
    const resourceUri = `ui://charts/${n % TOOLS}`;
    const tool = {
      name: `chart-${n % TOOLS}`,
      inputSchema: { type: "object" as const },
      _meta: { ui: { resourceUri } },
    };
    const view = conversation.mount(place, { key: `${n}`, upstream, tool, input: { n } });
    view.onStage((stage) => {
      if (stage !== "shown") return;
      state.first ??= performance.now() - began;
      state.shown.push(view.key);
    });
  }
  scrollTo(0, document.body.scrollHeight);
  // The views get their heights with the first layout.
  requestAnimationFrame(() => scrollTo(0, document.body.scrollHeight));
  return state;
};
