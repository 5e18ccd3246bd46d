import type { ConsentRequest, ConsentScope } from "./consent.ts";
import { make } from "./consent-dialog-content.ts";
import type { DialogWords } from "./consent-dialog-words.ts";

/** The choice of how long "Allow" holds. */
export interface ScopeChoice {
  /** Empty if there is nothing to choose. */
  readonly nodes: readonly Node[];
  readonly value: ConsentScope | false;
  /** Whether "Don't allow" holds as long. */
  readonly holdsForRefusal: boolean;
  /** Called with each click on the choice; `false` undoes it. */
  onPick(accepts: (click: MouseEvent) => boolean): void;
}

// A tool that a view offers isn't here: the view can give its name to another tool later. Nor is
// "always" for messages, because each one is sent in the user's name.
const SCOPES: Partial<Record<ConsentRequest["kind"], readonly ConsentScope[]>> = {
  tool: ["conversation", "always"],
  link: ["conversation", "always"],
  message: ["conversation"],
};

/** Offers the scopes that make sense for a request; "once" unless the user picks another. */
export function createScopeChoice(
  { kind }: ConsentRequest,
  words: DialogWords,
  offered: readonly ConsentScope[] = ["conversation", "always"],
): ScopeChoice {
  const scopes = SCOPES[kind]?.filter((scope) => offered.includes(scope)) ?? [];
  const inputs = (["once", ...scopes] as const).map((value) =>
    make("input", { type: "radio", name: "scope", value }),
  );
  const [once] = inputs;
  if (once) once.checked = true;
  const labels = inputs.map((input) =>
    make("label", {}, input, words.scopes[input.value as keyof DialogWords["scopes"]]),
  );
  const legend = make("legend", {}, words.remember[kind as keyof DialogWords["remember"]] ?? "");
  return {
    nodes: scopes.length > 0 ? [make("fieldset", { class: "remember" }, legend, ...labels)] : [],
    get value() {
      const picked = inputs.find(({ checked }) => checked)?.value;
      return scopes.find((scope) => scope === picked) ?? false;
    },
    holdsForRefusal: false,
    onPick: (accepts) => {
      for (const input of inputs) {
        input.onclick = (event) => accepts(event) || event.preventDefault();
      }
    },
  };
}

/** One box for a question in the page: "Don't ask again in this conversation", yes or no. */
export function createSilenceChoice({ kind }: ConsentRequest, words: DialogWords): ScopeChoice {
  const input = make("input", { type: "checkbox" });
  return {
    nodes: SCOPES[kind] ? [make("label", { class: "remember" }, input, words.silence)] : [],
    get value() {
      return input.checked && "conversation";
    },
    holdsForRefusal: true,
    onPick: (accepts) => {
      input.onclick = (event) => accepts(event) || event.preventDefault();
    },
  };
}
