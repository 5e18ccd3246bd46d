// `<vitrine-permissions>`: the answers that the user wanted remembered, with a button to forget each
// one. For a settings page; it is loaded by its own entry.

import { type Omissions, showName } from "./consent/consent-dialog-text.ts";
import { followPermissions, type Permission, type Permissions } from "./consent/permission.ts";
import type { HostOptions } from "./host-options.ts";
import { ENGLISH_CONSENT } from "./messages/english-consent.ts";
import { ENGLISH_PERMISSIONS } from "./messages/english-permissions.ts";
import type { PermissionMessages } from "./messages/messages.ts";
import { plainName } from "./plain-name.ts";
import { makeServerIcon } from "./surface/decoration.ts";
import { makeElement, sheetOf } from "./surface/elements.ts";

/** The part of a `Host` that the element uses. */
export interface PermissionsHost {
  readonly permissions: Permissions;
  readonly options: Pick<HostOptions, "messages" | "describeServer">;
}

const CSS = `
:host{display:block;font-size:14px;line-height:1.45;font-family:var(--vitrine-font,inherit);color:var(--vitrine-color,inherit);--line:var(--vitrine-border,color-mix(in srgb,currentColor 20%,transparent));--muted:var(--vitrine-muted,color-mix(in srgb,currentColor 75%,transparent))}
:host([hidden]){display:none}
*{box-sizing:border-box;margin:0}
div{display:grid;gap:16px;outline:none}
section{border:1px solid var(--line);border-radius:var(--vitrine-radius,8px);overflow:clip;background:var(--vitrine-background,none)}
h3{display:flex;align-items:center;gap:8px;padding:8px 12px;font:inherit;font-weight:600;overflow-wrap:anywhere;background:var(--vitrine-raised,none)}
ul{list-style:none;padding:0}
li{display:flex;align-items:center;gap:12px;padding:8px 12px;border-block-start:1px solid var(--line)}
p{flex:1;min-inline-size:0;overflow-wrap:anywhere}
small{display:block;font-size:13px;color:var(--muted)}
code{font:13px ui-monospace,monospace}
button{all:unset;box-sizing:border-box;flex:none;min-block-size:32px;display:grid;place-items:center;padding-inline:12px;border:1px solid var(--line);border-radius:6px;cursor:pointer}
button:hover{background:var(--line)}
button:focus-visible,div:focus-visible{outline:2px solid var(--vitrine-accent,currentColor);outline-offset:2px}
[role=status]{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.empty{color:var(--muted)}
@media(pointer:coarse){button{min-block-size:44px}}
`;

// The entry is also imported on servers, where nothing is shown.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/** Lists the remembered answers of a host's user while it is in the page. Set `host`. */
export class VitrinePermissionsElement extends Base {
  readonly #list = makeElement("div", { tabIndex: -1 }, []);
  readonly #status = makeElement("span", { role: "status" }, []);
  #host: PermissionsHost | undefined;
  #stop: (() => void) | undefined;
  /** The place in the list of the button that was pressed last. */
  #pressed: number | undefined;

  constructor() {
    super();
    // Closed, as all that the host draws.
    const root = this.attachShadow({ mode: "closed" });
    root.adoptedStyleSheets = [sheetOf(CSS)];
    root.append(this.#list, this.#status);
    // A property that was set before the element was defined hides ours.
    if (Object.hasOwn(this, "host")) {
      const { host } = this;
      Reflect.deleteProperty(this, "host");
      this.host = host;
    }
  }

  get host(): PermissionsHost | undefined {
    return this.#host;
  }

  set host(host: PermissionsHost | undefined) {
    if (host === this.#host) return;
    this.#host = host;
    this.#follow();
  }

  connectedCallback(): void {
    this.#follow();
  }

  disconnectedCallback(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  get #words(): PermissionMessages {
    return { ...ENGLISH_PERMISSIONS, ...this.#host?.options.messages?.permissions };
  }

  get #omissions(): Omissions {
    return { ...ENGLISH_CONSENT, ...this.#host?.options.messages?.consent };
  }

  #follow(): void {
    this.#stop?.();
    this.#stop = undefined;
    if (!this.#host || !this.isConnected) return;
    this.#stop = followPermissions(
      this.#host.permissions,
      (list) => this.#draw(list),
      () => this.#announce(this.#words.failed),
    );
  }

  #draw(list: readonly Permission[]): void {
    const { language = "", direction = "" } = this.#host?.options.messages ?? {};
    const servers = new Map<string, Permission[]>();
    for (const entry of list) {
      servers.set(entry.server, [...(servers.get(entry.server) ?? []), entry]);
    }
    const empty = makeElement(
      "p",
      { className: "empty", textContent: this.#words.empty },
      [],
      "empty",
    );
    const sections = [...servers].map(([server, entries], at) =>
      this.#makeServer(server, entries, `server-${at}`),
    );
    this.#list.lang = language;
    this.#list.dir = direction;
    this.#list.replaceChildren(...(sections.length > 0 ? sections : [empty]));
    this.#restoreFocus();
  }

  #makeServer(server: string, entries: readonly Permission[], id: string): HTMLElement {
    const { name = "", icon = "" } = this.#host?.options.describeServer?.(server) ?? {};
    const shown = makeElement("bdi", { textContent: plainName(name, plainName(server)) }, []);
    const title = makeElement("h3", { id }, [...makeServerIcon(icon), shown], "server");
    const items = entries.map((entry, at) => this.#makeItem(entry, `${id}-${at}`, id));
    // Safari takes the role away from a list without bullets.
    const list = makeElement("ul", { role: "list" }, items);
    list.setAttribute("aria-labelledby", id);
    return makeElement("section", {}, [title, list], "group");
  }

  #makeItem(entry: Permission, id: string, server: string): HTMLElement {
    const words = this.#words;
    const { kind, subject, scope, allow } = entry;
    const label = makeElement("p", { id }, [new Text(words.kinds[kind])], "permission");
    if (subject) {
      const text = makeElement("bdi", { textContent: showName(subject, this.#omissions) }, []);
      label.append(" ", makeElement("code", {}, [text], "subject"));
    }
    const held = (allow ? words.allowed : words.denied)[scope];
    label.append(makeElement("small", { textContent: held }, [], "scope"));
    const button = makeElement(
      "button",
      { type: "button", id: `${id}-revoke`, textContent: words.revoke },
      [],
      "button",
    );
    // "Remove", what, and of which server.
    button.setAttribute("aria-labelledby", `${id}-revoke ${id} ${server}`);
    button.onclick = () => void this.#revoke(entry, button);
    return makeElement("li", {}, [label, button], "item");
  }

  async #revoke(entry: Permission, button: HTMLElement): Promise<void> {
    const { revoked, failed } = this.#words;
    this.#pressed = this.#buttons().indexOf(button);
    try {
      await this.#host?.permissions.revoke(entry);
      this.#announce(revoked);
    } catch {
      this.#pressed = undefined;
      this.#announce(failed);
    }
  }

  /** The pressed button is gone, so the focus moves to the next one. */
  #restoreFocus(): void {
    if (this.#pressed === undefined) return;
    const buttons = this.#buttons();
    (buttons[Math.min(this.#pressed, buttons.length - 1)] ?? this.#list).focus();
    this.#pressed = undefined;
  }

  #buttons(): HTMLElement[] {
    return [...this.#list.querySelectorAll("button")];
  }

  #announce(text: string): void {
    this.#status.textContent = text;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "vitrine-permissions": VitrinePermissionsElement;
  }
}

const NAME = "vitrine-permissions";
const registry = globalThis.customElements as CustomElementRegistry | undefined;
if (!registry?.get(NAME)) registry?.define(NAME, VitrinePermissionsElement);
