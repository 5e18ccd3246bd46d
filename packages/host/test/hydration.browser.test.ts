import { createHost, type Host } from "@vitrine/host";
import { provideVitrine, useConversation } from "@vitrine/host/svelte";
import { useModelContext, VitrineProvider } from "@vitrine/host/vue";
import { type Component, mount, unmount } from "svelte";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSSRApp, h, Suspense } from "vue";
import { openElementStage, settled } from "./element-stage.ts";

const stage = openElementStage();

function openHost(): Host {
  const host = createHost({ sandbox: "https://sandbox.example" });
  onTestFinished(() => host.close());
  return host;
}

test("Vue hydrates a component that waits, although the model context changes before it renders", async () => {
  const warning = vi.spyOn(console, "warn").mockReturnValue();
  const error = vi.spyOn(console, "error").mockReturnValue();
  const host = openHost();
  const { modelContext } = host.conversation("chat");
  const Count = {
    setup: async () => {
      const entries = useModelContext();
      // A page waits for its data here, and the stored context arrives at the same time.
      await Promise.resolve();
      modelContext.set("a", { content: [{ type: "text", text: "stored" }] });
      return () => h("p", entries.value.length);
    },
  };
  // As the server has rendered it.
  stage.place.innerHTML = "<!--[--><p>0</p><!--]-->";
  const app = createSSRApp({
    render: () =>
      h(Suspense, null, {
        default: () => h(VitrineProvider, { host, conversation: "chat" }, () => h(Count)),
      }),
  });
  onTestFinished(() => app.unmount());
  app.mount(stage.place);
  await vi.waitFor(() => expect(stage.place.textContent).toBe("1"));
  const said = [...warning.mock.calls, ...error.mock.calls].flat().map(String);
  expect(said.filter((line) => /mismatch/.test(line))).toEqual([]);
});

test("Svelte: provideVitrine accepts a function, because a compiler warns of a prop", async () => {
  const host = openHost();
  let found: unknown;
  const component: Component = () => {
    provideVitrine(host, () => "chat");
    found = useConversation();
    return {};
  };
  const mounted = mount(component, { target: stage.place, context: new Map() });
  await settled();
  expect(found).toBe(host.conversation("chat"));
  await unmount(mounted);
});
