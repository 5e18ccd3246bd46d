import { createHost, type Host } from "@vitrine/host";
import {
  McpApp,
  type McpAppElement,
  useConversation,
  useHost,
  useModelContext,
  VitrineProvider,
} from "@vitrine/host/react";
import { keepView, mcpApp } from "@vitrine/host/svelte";
import {
  useConversation as useVueConversation,
  useModelContext as useVueModelContext,
  useView as useVueView,
  McpApp as VueApp,
  VitrineProvider as VueProvider,
} from "@vitrine/host/vue";
import { createRef, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp, h, reactive, type VNodeChild } from "vue";
import { appOf, openElementStage, settled } from "./element-stage.ts";

const stage = openElementStage();
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  await settled();
});

function openHost(): Host {
  const host = createHost({ sandbox: "https://sandbox.example" });
  cleanUps.push(() => host.close());
  return host;
}

const note = (text: string) => ({ content: [{ type: "text" as const, text }] });

/** A host whose views are scripted, in one conversation. */
function scripted(): Host {
  const conversation = () => Object.assign(stage.host, { id: "chat" });
  return { ...openHost(), conversation } as never;
}

function Notes() {
  const texts = useModelContext().flatMap(({ content }) => content ?? []);
  const isSame = useConversation() === useHost().conversation("chat");
  return <p>{`${isSame}: ${texts.map((block) => ("text" in block ? block.text : ""))}`}</p>;
}

describe("React", () => {
  async function render(node: ReactNode): Promise<void> {
    const root = createRoot(stage.place);
    cleanUps.push(() => root.unmount());
    root.render(node);
    await settled();
  }

  test("hooks return the conversation of the provider and follow its model context", async () => {
    const host = openHost();
    host.conversation("other").modelContext.set("a", note("of another conversation"));
    host.conversation("chat").modelContext.set("a", note("first"));
    await render(
      <VitrineProvider host={host} conversation="chat">
        <Notes />
      </VitrineProvider>,
    );
    expect(stage.place.textContent).toBe("true: first");
    host.conversation("chat").modelContext.set("a", note("second"));
    await settled();
    expect(stage.place.textContent).toBe("true: second");
  });

  test("McpApp uses the provider's conversation, and reports stages and errors", async () => {
    const [onStage, onError] = [vi.fn(), vi.fn()];
    const ref = createRef<McpAppElement>();
    await render(
      <VitrineProvider host={scripted()} conversation="chat">
        <McpApp app={appOf("a")} ref={ref} onStage={onStage} onError={onError} />
      </VitrineProvider>,
    );
    expect(ref.current?.view).toBe(stage.host.view());
    stage.host.view().reach("shown");
    expect(onStage.mock.calls).toEqual([["shown"]]);
    stage.host.report("a", { conversation: "chat" });
    expect(onError).not.toHaveBeenCalled();
    stage.host.report("a", { conversation: "chat", level: "error" });
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ level: "error" }));
  });
});

describe("Vue", () => {
  async function render(draw: () => VNodeChild): Promise<void> {
    const app = createApp({ render: draw });
    cleanUps.push(() => app.unmount());
    app.mount(stage.place);
    await settled();
  }

  test("hooks return the conversation of the provider and follow its model context", async () => {
    const host = openHost();
    host.conversation("chat").modelContext.set("a", note("first"));
    const Notes = {
      setup: () => {
        const entries = useVueModelContext();
        const isSame = useVueConversation() === host.conversation("chat");
        return () => h("p", `${isSame}: ${JSON.stringify(entries.value[0]?.content?.[0])}`);
      },
    };
    await render(() => h(VueProvider, { host, conversation: "chat" }, () => h(Notes)));
    expect(stage.place.textContent).toBe('true: {"type":"text","text":"first"}');
    host.conversation("chat").modelContext.set("a", note("second"));
    await settled();
    expect(stage.place.textContent).toContain("second");
  });

  test("the state of a view follows the provider to another conversation", async () => {
    const host = openHost();
    const state = reactive({ conversation: "chat" });
    const States = {
      setup: () => {
        const view = useVueView("a");
        return () => h("p", `${view.value.failure?.code}`);
      },
    };
    await render(() => h(VueProvider, { host, conversation: state.conversation }, () => h(States)));
    expect(stage.place.textContent).toBe("undefined");
    const place = document.body.appendChild(document.createElement("div"));
    cleanUps.push(() => place.remove());
    // Its tool has no app, so it can't be shown.
    host.conversation("chat").mount(place, appOf("a"));
    await expect.poll(() => stage.place.textContent).toBe("no-resource");
    state.conversation = "next";
    await settled();
    expect(stage.place.textContent).toBe("undefined");
  });

  test("the model context follows the provider to another conversation", async () => {
    const host = openHost();
    const state = reactive({ conversation: "chat" });
    host.conversation("chat").modelContext.set("a", note("first"));
    host.conversation("next").modelContext.set("a", note("second"));
    const Notes = {
      setup: () => {
        const entries = useVueModelContext();
        return () => h("p", JSON.stringify(entries.value));
      },
    };
    await render(() => h(VueProvider, { host, conversation: state.conversation }, () => h(Notes)));
    expect(stage.place.textContent).toContain("first");
    state.conversation = "next";
    await settled();
    expect(stage.place.textContent).toContain("second");
    expect(stage.place.textContent).not.toContain("first");
    host.conversation("chat").modelContext.set("a", note("late"));
    host.conversation("next").modelContext.set("b", note("third"));
    await settled();
    expect(stage.place.textContent).toContain("third");
    expect(stage.place.textContent).not.toContain("late");
  });

  test("McpApp uses the provider's conversation, and reports stages and errors", async () => {
    const [onStage, onError] = [vi.fn(), vi.fn()];
    const host = scripted();
    await render(() =>
      h(VueProvider, { host, conversation: "chat" }, () =>
        h(VueApp, { app: appOf("a"), onStage, onError }),
      ),
    );
    stage.host.view().reach("shown");
    expect(onStage.mock.calls).toEqual([["shown"]]);
    stage.host.report("a", { conversation: "chat", level: "error" });
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ level: "error" }));
  });
});

test("Svelte: keepView keeps the document of a view that is rendered elsewhere", async () => {
  const place = (): HTMLElement => stage.place.appendChild(document.createElement("div"));
  const shown = { host: stage.host, app: appOf("a") };
  const first = place();
  const before = mcpApp(first, shown);
  await settled();
  stage.host.view().mark = true;
  // In the order in which Svelte does it: the new node, the old one's transition, its removal.
  const after = mcpApp(place(), shown);
  expect(keepView(first)).toEqual({ duration: 0 });
  first.remove();
  before.destroy();
  await settled();
  expect(stage.host.view().mark).toBe(true);
  expect(stage.host.view().container?.isConnected).toBe(true);
  after.destroy();
});
