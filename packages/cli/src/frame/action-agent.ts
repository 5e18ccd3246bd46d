// The part of the development agent that reports a user's actions, so that a recording can repeat them. It
// reports clicks and keys of the user only, not those that a script creates, and no secrets.

/** How to find an element again: by role and name, by test id, or else by its path. */
export interface ActionTarget {
  role: string;
  name: string;
  testId: string;
  css: string;
}

/** An action of the user inside the view. A view can forge it. */
export interface ActionReport extends ActionTarget {
  kind: "action";
  action: "click" | "fill" | "press" | "select";
  /** The text, the key, or the selected options as JSON. */
  value: string;
}

/** Sent as text, so it may not use anything outside itself. */
export function watchActions(report: (one: ActionReport) => void): void {
  const LONGEST = 2_000;
  const short = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 200);
  const ROLES: Record<string, string> = {
    a: "link",
    button: "button",
    select: "combobox",
    textarea: "textbox",
    summary: "button",
    option: "option",
  };
  const INPUTS: Record<string, string> = {
    button: "button",
    submit: "button",
    reset: "button",
    image: "button",
    checkbox: "checkbox",
    radio: "radio",
    range: "slider",
    number: "spinbutton",
    search: "searchbox",
    text: "textbox",
    email: "textbox",
    tel: "textbox",
    url: "textbox",
  };
  type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
  const isField = (element: Element): element is Field =>
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement;
  /** Whether keys write into it. */
  const isTyped = (element: Element): boolean =>
    element instanceof HTMLInputElement
      ? !/^(?:checkbox|radio|button|submit|reset|range)$/.test(element.type)
      : isField(element) || (element as HTMLElement).isContentEditable;
  const roleOf = (element: Element): string => {
    const own = element.getAttribute("role");
    if (own) return own;
    if (element instanceof HTMLInputElement) return INPUTS[element.type] ?? "";
    return ROLES[element.localName] ?? "";
  };
  const nameOf = (element: Element): string => {
    const label = element.getAttribute("aria-label");
    if (label) return short(label);
    const by = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
    const parts = by.map((id) => document.getElementById(id)?.textContent ?? "");
    if (parts.length > 0) return short(parts.join(" "));
    if (element instanceof HTMLInputElement && /^(?:button|submit|reset)$/.test(element.type))
      return short(element.value);
    if (isField(element))
      return short(
        [...(element.labels ?? [])].map(({ textContent }) => textContent).join(" ") ||
          element.getAttribute("placeholder") ||
          element.title,
      );
    // biome-ignore lint/performance/useDomNodeTextContent: hidden text isn't part of a name.
    return short((element as HTMLElement).innerText ?? element.textContent ?? "");
  };
  const pathOf = (element: Element): string => {
    const steps: string[] = [];
    for (let one: Element | null = element; one && steps.length < 24; one = one.parentElement) {
      if (one.id && document.querySelectorAll(`#${CSS.escape(one.id)}`).length === 1) {
        steps.unshift(`#${CSS.escape(one.id)}`);
        break;
      }
      const { localName } = one;
      const twins = [...(one.parentElement?.children ?? [])].filter(
        (other) => other.localName === localName,
      );
      const at = twins.length > 1 ? `:nth-of-type(${twins.indexOf(one) + 1})` : "";
      steps.unshift(`${localName}${at}`);
    }
    return steps.join(" > ").slice(0, 1_000);
  };
  const isSecret = (element: Element): boolean =>
    element instanceof HTMLInputElement &&
    (element.type === "password" || /password|one-time-code|^cc-/.test(element.autocomplete));
  const tell = (element: Element, action: ActionReport["action"], value = ""): void => {
    const testId = element.closest("[data-testid]")?.getAttribute("data-testid") ?? "";
    // A secret is never in a report, and a long text isn't typed by a person.
    if (value.length > LONGEST || (action !== "click" && isSecret(element))) return;
    report({
      kind: "action",
      action,
      value,
      role: roleOf(element),
      name: nameOf(element),
      testId: testId.slice(0, 200),
      css: pathOf(element),
    });
  };
  const watch = (type: string, listen: (event: Event, element: Element) => void): void =>
    addEventListener(
      type,
      (event) => {
        const element = event.composedPath()[0];
        if (!event.isTrusted || !(element instanceof Element)) return;
        try {
          listen(event, element);
        } catch {
          // The view must go on.
        }
      },
      true,
    );

  // A click on a label clicks its field too: one action, on the field.
  let labelled: Element | null = null;
  watch("click", (event, element) => {
    const { detail, pointerType } = event as PointerEvent;
    const label = element.closest("label");
    if (element === labelled) {
      labelled = null;
      return;
    }
    // Without a pointer it is the effect of a key, which is reported itself.
    if (detail === 0 && !pointerType) return;
    const { control } = label ?? {};
    if (control && !control.contains(element)) {
      labelled = control;
      setTimeout(() => {
        labelled = null;
      });
      tell(control, "click");
      return;
    }
    // Opening a list of options is part of the selection.
    if (element.closest("select")) return;
    const subject = element.closest("button,a,input,textarea,summary,[role],[onclick],[tabindex]");
    tell(subject ?? element, "click");
  });
  watch("input", (_, element) => {
    if (element instanceof HTMLSelectElement) {
      const values = [...element.selectedOptions].map(({ value }) => value);
      tell(element, "select", JSON.stringify(values));
      return;
    }
    const isText =
      element instanceof HTMLTextAreaElement ||
      (element instanceof HTMLInputElement &&
        !/^(?:checkbox|radio|file|button|submit|reset|image)$/.test(element.type));
    if (isText) tell(element, "fill", element.value);
    else if (element instanceof HTMLElement && element.isContentEditable)
      // biome-ignore lint/performance/useDomNodeTextContent: the text as it is typed, with its lines.
      tell(element, "fill", element.innerText);
  });
  watch("keydown", (event, element) => {
    const { key, isComposing, repeat } = event as KeyboardEvent;
    if (isComposing || repeat) return;
    if (key === "Escape" || (key === "Enter" && element.localName !== "textarea"))
      tell(element, "press", key);
    else if (!isTyped(element) && /^(?: |Arrow\w+)$/.test(key))
      tell(element, "press", key === " " ? "Space" : key);
  });
}
