import { type HostScript, ScriptedHost } from "@vitrine/internal/scripted-host";
import type { UseAppOptions } from "@vitrine/view/react";
import { afterEach, beforeEach } from "vitest";

/** What a Host that has styles tells a View at the handshake. */
export const STYLED: Record<string, unknown> = {
  theme: "dark",
  styles: {
    variables: { "--color-text-primary": "red", "--font-sans": "Inter" },
    css: { fonts: "/* first */" },
  },
};

/** Where a skin performs: an element to render into, and the hosts it has met so far. */
export interface SkinStage {
  readonly place: HTMLElement;
  readonly hosts: ScriptedHost[];
  /** The text of the first paragraph in the place. */
  readonly text: string | undefined;
  /** Options for `useApp` that meet a fresh host at each mount. */
  meet(script?: HostScript, more?: Partial<UseAppOptions>): UseAppOptions;
  /** Has the last host change its context. */
  change(context: Record<string, unknown>): void;
}

/** Makes a fresh stage for each test of the file, and leaves the document as it was. */
export function openStage(): SkinStage {
  let place = document.createElement("main");
  const hosts: ScriptedHost[] = [];
  beforeEach(() => {
    hosts.length = 0;
    place = document.body.appendChild(document.createElement("main"));
    // At rest, so that a size is reported only where a test is about that.
    place.style.height = "100px";
  });
  afterEach(() => {
    place.remove();
    document.documentElement.removeAttribute("style");
    document.documentElement.removeAttribute("data-theme");
    document.getElementById("__mcp-host-fonts")?.remove();
  });
  return {
    hosts,
    get place() {
      return place;
    },
    get text() {
      return place.querySelector("p")?.textContent ?? undefined;
    },
    meet: (script = {}, more = {}) => ({
      appInfo: { name: "test", version: "1.0.0" },
      capabilities: {},
      autoResize: false,
      createTransport: () => {
        const host = new ScriptedHost(script);
        hosts.push(host);
        return host.view;
      },
      ...more,
    }),
    change: (context) => hosts.at(-1)?.notify("ui/notifications/host-context-changed", context),
  };
}

/** A style property of the document's root, as it was set. */
export function rootStyle(name: string): string {
  return document.documentElement.style.getPropertyValue(name);
}

/** The font CSS that was put into the document. */
export function fontCss(): string | null | undefined {
  return document.getElementById("__mcp-host-fonts")?.textContent;
}

/** Answers a handshake with an error. */
export const REFUSAL: HostScript = {
  answers: {
    "ui/initialize": () => {
      throw { code: -32000, message: "not today" };
    },
  },
};
