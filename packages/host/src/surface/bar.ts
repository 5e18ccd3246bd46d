// The host's own bar above a view.

import type { McpUiDisplayMode } from "@vitrine/protocol/apps";
import type { BarMessages, PlacementMessages } from "../messages/messages.ts";
import { type DescribeServer, plainName } from "../plain-name.ts";
import { makeElement, makeIcon } from "./elements.ts";

/** What a bar shows. */
export interface BarOptions {
  /** The tool's own name. */
  title: string;
  /** The host's name for the server. */
  server: string;
  describeServer?: DescribeServer | undefined;
  labels: Omit<BarMessages, keyof PlacementMessages>;
  /** The user pressed a button. */
  onModeRequest(mode: McpUiDisplayMode): void;
}

/** A bar. */
export interface Bar {
  readonly header: HTMLElement;
  /** The button that leads back to the page. */
  readonly exit: HTMLElement;
  /** The accessible name of the view. */
  readonly name: string;
  setStatus(text: string): void;
  /** Shows the buttons of these modes. */
  offer(isOffered: (mode: McpUiDisplayMode) => boolean): void;
}

const ICONS = {
  pip: "M2 3h12v10H2zm6 5h4v3H8z",
  fullscreen: "M2 6V2h4m4 0h4v4m0 4v4h-4m-4 0H2v-4",
  inline: "M6 2v4H2m12 0h-4V2m0 12v-4h4M2 10h4v4",
};

/** Loads what most surfaces don't need at first. */
export async function loadDecoration(
  draw: (module: typeof import("./decoration.ts")) => void,
): Promise<void> {
  try {
    draw(await import("./decoration.ts"));
  } catch {
    // The surface works without.
  }
}

/** Creates a bar. Names are text, whatever they contain. */
export function createBar(options: BarOptions): Bar {
  const { labels, describeServer, onModeRequest } = options;
  const { name: display, icon } = describeServer?.(options.server) ?? {};
  const server = plainName(display ?? "", plainName(options.server));
  const title = plainName(options.title);
  const buttons = (["pip", "fullscreen", "inline"] as const).map((mode) => {
    const button = makeElement(
      "button",
      { type: "button", ariaLabel: labels[mode], title: labels[mode] },
      [makeIcon(ICONS[mode])],
      "button",
    );
    button.onclick = () => onModeRequest(mode);
    return { mode, button };
  });
  const dir = "auto";
  const status = makeElement("span", { role: "status" }, [], "status");
  const name = makeElement("b", { textContent: server, title: server, dir }, [], "name");
  const claim = makeElement("i", { textContent: title, title, dir }, [], "title");
  const header = makeElement(
    "header",
    {},
    [name, claim, status, ...buttons.map(({ button }) => button)],
    "bar",
  );
  if (icon) void loadDecoration((module) => header.prepend(...module.makeServerIcon(icon)));
  return {
    header,
    exit: buttons[2]?.button as HTMLElement,
    name: `${server}: ${title}`,
    setStatus: (text) => {
      status.textContent = text;
    },
    offer: (isOffered) => {
      for (const { mode, button } of buttons) button.hidden = !isOffered(mode);
    },
  };
}
