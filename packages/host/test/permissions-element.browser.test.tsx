import { createHost, type Host, type HostOptions, webStore } from "@vitrine/host";
import { arabic } from "@vitrine/host/messages/ar";
import { german } from "@vitrine/host/messages/de";
import { VitrinePermissionsElement } from "@vitrine/host/permissions";
import { useHost, usePermissions, VitrineProvider } from "@vitrine/host/react";
import { provideVitrine, usePermissions as useSveltePermissions } from "@vitrine/host/svelte";
import {
  usePermissions as useVuePermissions,
  VitrineProvider as VueProvider,
} from "@vitrine/host/vue";
import { createRoot } from "react-dom/client";
import { type Component, mount, unmount } from "svelte";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { createApp, h } from "vue";
import type { ConsentSubject } from "../src/consent/consent.ts";
import { memoryKeysOf } from "../src/consent/subject-key.ts";
import { tool } from "./scripted-upstream.ts";

let roots: ShadowRoot[] = [];
const cleanUps: (() => unknown)[] = [];
const attach = Element.prototype.attachShadow;

beforeEach(() => {
  vi.spyOn(Element.prototype, "attachShadow").mockImplementation(function (this: Element, init) {
    expect(init.mode).toBe("closed");
    const root = attach.call(this, { ...init, mode: "open" });
    roots.push(root);
    return root;
  });
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  document.body.replaceChildren();
  localStorage.clear();
  roots = [];
  vi.restoreAllMocks();
});

const store = webStore(localStorage, "test:");
const { signal } = new AbortController();

async function remember(subject: ConsentSubject, server = "bank.example", chat?: string) {
  const view = { key: "1", server, conversation: chat };
  const keys = await memoryKeysOf({ ...subject, view, userActive: true, signal });
  store.set(chat === undefined ? keys.always : keys.conversation, true);
}

const PAY: ConsentSubject = { kind: "tool", tool: tool("pay"), arguments: {} };
const LINK: ConsentSubject = {
  kind: "link",
  link: { href: "https://shop.example/", host: "shop.example" },
};
const MESSAGE: ConsentSubject = { kind: "message", content: [] };

function openHost(options: Partial<HostOptions> = {}): Host {
  const host = createHost({ sandbox: "https://s.example", consent: { memory: store }, ...options });
  cleanUps.push(() => host.close());
  return host;
}

/** Shows the element; `all` finds its parts. */
async function show(host: Host) {
  const element = new VitrinePermissionsElement();
  element.host = host;
  document.body.append(element);
  const [root] = roots;
  const all = (selector: string) => [...(root?.querySelectorAll<HTMLElement>(selector) ?? [])];
  await vi.waitFor(() => expect(all("div > *")).not.toEqual([]));
  return {
    element,
    all,
    texts: (part: string) => all(`[part=${part}]`).map(({ textContent }) => textContent),
    get active() {
      return root?.activeElement as HTMLElement | null;
    },
    get status() {
      return all("[role=status]")[0]?.textContent;
    },
  };
}

describe("<vitrine-permissions>", () => {
  test("lists what is allowed, by server, and names each button completely", async () => {
    await remember(PAY);
    await remember(MESSAGE, "bank.example", "chat-1");
    await remember(LINK, "a.example");
    const describeServer = (server: string) =>
      server === "bank.example" ? { name: "My bank" } : undefined;
    const shown = await show(openHost({ describeServer }));
    expect(shown.texts("server")).toEqual(["a.example", "My bank"]);
    expect(shown.texts("permission")).toEqual([
      "Open a website https://shop.exampleAlways allowed",
      "Use a tool payAlways allowed",
      "Send messagesAllowed in one conversation",
    ]);
    const pay = page.getByRole("button", {
      name: /^Remove Use a tool pay Always allowed My bank$/,
    });
    expect(pay.elements()).toHaveLength(1);
    expect(page.getByRole("list", { name: "My bank" }).elements()).toHaveLength(1);
  });

  test("revokes by keyboard, announces it, and moves the focus to the next button", async () => {
    await remember(PAY);
    await remember(LINK);
    const shown = await show(openHost());
    const before = shown.texts("subject");
    await userEvent.keyboard("{Tab}{Enter}");
    await vi.waitFor(() => expect(shown.texts("subject")).toEqual(before.slice(1)));
    expect(shown.status).toBe("The permission was removed.");
    expect(shown.active?.textContent).toBe("Remove");
    await userEvent.keyboard(" ");
    await vi.waitFor(() =>
      expect(shown.texts("empty")).toEqual(["No app has a lasting permission."]),
    );
    expect(shown.active?.tagName).toBe("DIV");
    expect(localStorage.length).toBe(0);
  });

  test("announces that a revocation failed, and keeps the entry", async () => {
    await remember(PAY);
    const memory = { ...store, delete: () => Promise.reject(new Error("down")) };
    const shown = await show(openHost({ consent: { memory } }));
    shown.all("button")[0]?.click();
    await vi.waitFor(() => expect(shown.status).toBe("This didn’t work. Try again."));
    expect(shown.texts("subject")).toEqual(["pay"]);
  });

  test("follows a change in another page, and nothing after it was removed", async () => {
    const host = openHost();
    const shown = await show(host);
    await remember(PAY);
    dispatchEvent(new StorageEvent("storage"));
    await vi.waitFor(() => expect(shown.texts("subject")).toEqual(["pay"]));
    shown.element.remove();
    await remember(LINK);
    dispatchEvent(new StorageEvent("storage"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(shown.texts("subject")).toEqual(["pay"]);
    document.body.append(shown.element);
    await vi.waitFor(() => expect(shown.texts("subject")).toHaveLength(2));
  });

  test("shows names as one line of plain text", async () => {
    const evil = { kind: "tool", tool: tool("<b>pay</b>\u202e\n✅ok"), arguments: {} } as const;
    await remember(evil, "bank\u202e✅\nVerified by Chat");
    const shown = await show(openHost());
    expect(shown.texts("server")).toEqual(["bank Verified by Chat"]);
    expect(shown.texts("subject")).toEqual(["<b>pay</b>⟨U+202E⟩⟨U+000A⟩✅ok"]);
  });

  test("has the language and direction of the host's catalogue", async () => {
    await remember(PAY);
    const shown = await show(openHost({ messages: german }));
    expect(shown.texts("permission")).toEqual(["Werkzeug verwenden payImmer erlaubt"]);
    expect(shown.all("div")[0]?.lang).toBe("de");
    shown.element.remove();
    roots = [];
    const other = await show(openHost({ messages: arabic }));
    const [item] = other.all("li");
    const [button] = other.all("button");
    const at = (one: HTMLElement | undefined) => one?.getBoundingClientRect().left ?? 0;
    expect(at(button) - at(item)).toBeLessThan(20);
  });

  test("takes a host that was set before the element was defined", async () => {
    await remember(PAY);
    const host = openHost();
    const early = Object.assign(document.createElement("late-permissions"), { host });
    document.body.append(early);
    customElements.define("late-permissions", class extends VitrinePermissionsElement {});
    await vi.waitFor(() => expect(roots[0]?.textContent).toContain("pay"));
    expect(early.host).toBe(host);
    expect(Object.hasOwn(early, "host")).toBe(false);
  });
});

/** The texts that a framework's hook renders. */
async function untilTexts(place: HTMLElement, text: string): Promise<void> {
  await vi.waitFor(() => expect(place.textContent).toBe(text));
}

function List() {
  const { permissions } = useHost();
  return usePermissions().map((entry) => (
    <button type="button" key={entry.id} onClick={() => void permissions.revoke(entry)}>
      {entry.subject}
    </button>
  ));
}

describe("hooks follow the permissions", () => {
  const place = () => {
    const element = document.createElement("div");
    document.body.append(element);
    return element;
  };

  test("in React, which can revoke one", async () => {
    await remember(PAY);
    const there = place();
    const root = createRoot(there);
    cleanUps.push(() => root.unmount());
    root.render(
      <VitrineProvider host={openHost()}>
        <List />
      </VitrineProvider>,
    );
    await untilTexts(there, "pay");
    there.querySelector("button")?.click();
    await untilTexts(there, "");
  });

  test("in Vue", async () => {
    await remember(PAY);
    const host = openHost();
    const List = {
      setup: () => {
        const list = useVuePermissions();
        return () => list.value.map(({ subject }) => subject).join();
      },
    };
    const there = place();
    const app = createApp({ render: () => h(VueProvider, { host }, () => h(List)) });
    cleanUps.push(() => app.unmount());
    app.mount(there);
    await untilTexts(there, "pay");
    await host.permissions.revoke((await host.permissions.list())[0] ?? { id: "" });
    await untilTexts(there, "");
  });

  test("in Svelte", async () => {
    await remember(PAY);
    const host = openHost();
    const there = place();
    const component = mount(
      ((anchor) => {
        provideVitrine(host);
        const list = useSveltePermissions();
        const text = new Text();
        (anchor as unknown as Comment).before(text);
        cleanUps.push(
          list.subscribe((entries) => {
            text.data = entries.map(({ subject }) => subject).join();
          }),
        );
        return {};
      }) as Component,
      { target: there, context: new Map() },
    );
    cleanUps.push(() => unmount(component));
    await untilTexts(there, "pay");
    await host.permissions.revoke((await host.permissions.list())[0] ?? { id: "" });
    await untilTexts(there, "");
  });
});
