import type { Tool } from "@vitrine/protocol/apps";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { type Locator, page } from "vitest/browser";
import type { ConsentAnswer, ConsentRequest, ConsentSubject } from "../src/consent/consent.ts";
import { type ConsentDialogOptions, createConsentDialog } from "../src/consent/consent-dialog.ts";

/** A tool as a Server lists it. */
export const TOOL: Tool = { name: "pay", title: "Pay a bill", inputSchema: { type: "object" } };

/** The commonest question. */
export const PAY: Extract<ConsentSubject, { kind: "tool" }> = {
  kind: "tool",
  tool: TOOL,
  arguments: { amount: 12 },
};

/** A question to the user, and its outcome. */
export interface Asked {
  /** Undefined while nobody has answered. */
  answer: ConsentAnswer | undefined;
  takeBack(): void;
}

/** Where dialogs are shown: everything is closed after each test. */
export interface DialogStage {
  /** Asks; the view's key is "a" unless told. */
  ask(
    subject: ConsentSubject,
    more?: Partial<ConsentRequest["view"]> & { userActive?: boolean; stop?: () => void },
  ): Asked;
  readonly allow: Locator;
  readonly deny: Locator;
  /** The dialog that is open. */
  readonly dialog: HTMLDialogElement | undefined;
  /** A part of the dialog, by its selector. */
  part(selector: string): HTMLElement;
  /** The text of the dialog, without the buttons. */
  readonly text: string;
  /** With which mode shadow roots were asked for. */
  readonly modes: string[];
}

/** Opens shadow roots that ask to be closed, so that a test can see and click inside. */
export function openDialogStage(options?: ConsentDialogOptions): DialogStage {
  let ask = createConsentDialog(options);
  const modes: string[] = [];
  let roots: ShadowRoot[] = [];
  let aborts: AbortController[] = [];
  const attach = Element.prototype.attachShadow;

  beforeEach(() => {
    ask = createConsentDialog(options);
    vi.spyOn(Element.prototype, "attachShadow").mockImplementation(function (
      this: Element,
      init: ShadowRootInit,
    ) {
      modes.push(init.mode);
      const root = attach.call(this, { ...init, mode: "open" });
      roots.push(root);
      return root;
    });
  });
  afterEach(() => {
    for (const abort of aborts.reverse()) abort.abort();
    // What a withdrawn question leaves.
    stage.dialog?.querySelector<HTMLElement>(".dismiss")?.click();
    expect(stage.dialog).toBeUndefined();
    expect(roots.filter((root) => root.host.isConnected && root.querySelector("dialog"))).toEqual(
      [],
    );
    modes.length = 0;
    roots = [];
    aborts = [];
    vi.restoreAllMocks();
  });

  const stage: DialogStage = {
    ask: (subject, { userActive, stop, ...view } = {}) => {
      const abort = new AbortController();
      aborts.push(abort);
      const asked: Asked = { answer: undefined, takeBack: () => abort.abort() };
      const request = {
        ...subject,
        view: { key: "a", server: "Billing", ...view },
        userActive,
        stop,
        signal: abort.signal,
      } as ConsentRequest;
      void Promise.resolve(ask(request)).then((answer) => {
        asked.answer = answer as ConsentAnswer;
      });
      return asked;
    },
    allow: page.getByRole("button", { name: "Allow", exact: true }),
    deny: page.getByRole("button", { name: "Don’t allow" }),
    modes,
    get dialog() {
      const open = roots.map((root) => root.querySelector("dialog")).filter((it) => it?.open);
      expect(open.length).toBeLessThan(2);
      return open[0] ?? undefined;
    },
    part: (selector) => {
      const found = stage.dialog?.querySelector<HTMLElement>(selector);
      if (!found) throw new Error(`${selector} is not in the dialog.`);
      return found;
    },
    get text() {
      return stage.dialog?.querySelector(".content")?.textContent ?? "";
    },
  };
  return stage;
}

/** Waits until "Allow" answers. */
export async function untilArmed(stage: DialogStage): Promise<void> {
  await vi.waitFor(() => expect(isArmed(stage)).toBe(true), { timeout: 5000, interval: 10 });
}

/** Whether "Allow" is enabled. */
export function isArmed(stage: DialogStage): boolean {
  return stage.dialog?.querySelector(".allow")?.ariaDisabled === "false";
}

/** Lets some time pass. */
export function pass(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
