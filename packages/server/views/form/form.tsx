import type { CallToolResult } from "@vitrine/view";
import { useCallback, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FormConfig } from "../../src/templates/form.ts";
import type { FormField } from "../../src/templates/form-fields.ts";
import {
  type BodyProps,
  Empty,
  humanise,
  Name,
  Notice,
  type Shell,
  textOf,
  useShell,
  useToolCall,
  Writing,
} from "../shell/shell.tsx";
import { Field } from "./field.tsx";
import { ChecksContext } from "./field-props.ts";
import {
  entriesIn,
  firstHeld,
  type Held,
  type HeldEntry,
  readFiles,
  toArguments,
} from "./field-values.ts";
import { idInGroup } from "./group.tsx";
import { type Control, groupProblem, problemOf } from "./validity.ts";

/** The form, and what became of it. */
export function Form(props: BodyProps<FormConfig, unknown>) {
  const { config, isWriting } = props;
  const { fields = [], submitTool, submitArgs, cancelable } = config;
  const { app, label, tellModel } = useShell();
  const { held, change } = useHeld(props);
  const id = useId();
  const { problems, checkAll, recheck } = useProblems(config, id);
  const checks = useMemo(() => ({ problems, recheck }), [problems, recheck]);
  const { state, call, perform, reset } = useToolCall();
  const [isGivenUp, setGivenUp] = useState(false);
  if (fields.length === 0) return <Empty />;

  const title = config.title ?? "form";
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isWriting || state.status === "pending" || !checkAll(event.currentTarget as Element, held))
      return;
    const args = toArguments(fields, held, submitArgs);
    if (submitTool === undefined) {
      await perform(() => say(app, config, args));
      return;
    }
    const result = await call(submitTool, (await readFiles(args)) as Record<string, unknown>);
    if (result) tellModel(`The user submitted "${title}". ${textOf(result)}`.trim());
  };
  const giveUp = (): void => {
    setGivenUp(true);
    tellModel(`The user gave up "${title}" without submitting it.`);
  };
  const reopen = (): void => {
    setGivenUp(false);
    reset();
  };

  if (isGivenUp)
    return <End tone="plain" title={label("givenUp")} again="reopen" {...{ reopen }} />;
  if (state.status === "done") {
    const text = textOf(state.result);
    return <End tone="success" title={label("submitted")} again="again" {...{ text, reopen }} />;
  }
  const isPending = state.status === "pending";
  return (
    <ChecksContext.Provider value={checks}>
      {/* The browser's own bubbles would hide what stands below, and cannot be styled or read again. */}
      <form noValidate onSubmit={submit} aria-busy={isPending}>
        {isWriting && <Writing />}
        {fields.map((field, at) => (
          <Field
            key={field.name}
            field={field}
            id={`${id}-${at}`}
            held={held.get(field.name)}
            problem={problems.get(`${id}-${at}`)}
            onChange={(value, control) => {
              change(field.name, value);
              recheck(field, `${id}-${at}`, control);
            }}
          />
        ))}
        {fields.some(({ required }) => required === true) && (
          <p class="help">{label("requiredNote")}</p>
        )}
        {state.status === "failed" && (
          <Notice tone="danger" title={label("notSubmitted")} text={state.text} />
        )}
        <div class="actions">
          <button type="submit" class="button primary" aria-disabled={isPending || isWriting}>
            {isPending && <span class="spinner" aria-hidden="true" />}
            {isPending ? label("submitting") : <Name value={verbOf(config, label)} length={60} />}
          </button>
          {cancelable === true && (
            <button type="button" class="button" onClick={giveUp}>
              {label("cancel")}
            </button>
          )}
        </div>
      </form>
    </ChecksContext.Provider>
  );
}

/** The verb on the button: given, or the tool's name in words, as "Create order". */
function verbOf({ submitLabel, submitTool, labels }: FormConfig, label: Shell["label"]): string {
  if (submitLabel !== undefined) return submitLabel;
  const isGiven = labels !== undefined && Object.hasOwn(labels, "submit");
  return submitTool === undefined || isGiven ? label("submit") : humanise(submitTool);
}

/** Replaces a form that was submitted or cancelled. */
function End({
  tone,
  title,
  text,
  again,
  reopen,
}: {
  tone: "success" | "plain";
  title: string;
  text?: string | undefined;
  again: string;
  reopen(): void;
}) {
  const { label } = useShell();
  const button = useRef<HTMLButtonElement>(null);
  // The button that was pressed is gone, and the focus with it.
  useLayoutEffect(() => button.current?.focus(), []);
  return (
    <Notice tone={tone} title={title} text={text}>
      <button type="button" class="button again" ref={button} onClick={reopen}>
        {label(again)}
      </button>
    </Notice>
  );
}

/** What the fields hold: what was typed, else what the call brought. */
function useHeld({ config, data, input }: BodyProps<FormConfig, unknown>) {
  const { fields = [] } = config;
  const [typed, setTyped] = useState<ReadonlyMap<string, Held>>(new Map());
  const first = useMemo(() => firstHeld(fields, [data, input]), [fields, data, input]);
  const held = useMemo(() => new Map([...first, ...typed]), [first, typed]);
  const change = (name: string, value: Held): void =>
    setTyped((before) => new Map(before).set(name, value));
  return { held, change };
}

/** The invalid fields, after the first attempt to submit. */
function useProblems({ fields = [] }: FormConfig, id: string) {
  const { label, announce } = useShell();
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const checkAll = (form: Element, held: ReadonlyMap<string, Held>): boolean => {
    const found = placesOf(fields, held, (at) => `${id}-${at}`).flatMap((place) => {
      const control = form.querySelector<Control>(`#${place.id}`);
      if (!control) return [];
      const { field, entries } = place;
      const problem = entries
        ? groupProblem(field, entries.length, label)
        : problemOf(field, control, label);
      return problem ? [{ id: place.id, problem, control }] : [];
    });
    setProblems(new Map(found.map(({ id, problem }) => [id, problem])));
    const [first] = found;
    if (first) {
      announce(label("problems", { count: found.length }));
      first.control.focus();
    }
    return !first;
  };
  const recheck = useCallback(
    (field: FormField, id: string, control: Control | undefined): void => {
      // A group that changes is only checked again when it is submitted.
      const problem = control ? problemOf(field, control, label) : "";
      setProblems((before) => {
        // A field is not wrong before the first attempt, but a file that is too large never gets right.
        if (!before.has(id) && field.type !== "file") return before;
        const after = new Map(before);
        if (problem) after.set(id, problem);
        else after.delete(id);
        return after;
      });
    },
    [label],
  );
  return { problems, checkAll, recheck };
}

interface Place {
  field: FormField;
  id: string;
  /** Of a group. */
  entries?: readonly HeldEntry[];
}

/** All fields on screen, in their order, with those of groups. */
function placesOf(
  fields: readonly FormField[],
  held: ReadonlyMap<string, Held>,
  idOf: (at: number) => string,
): Place[] {
  return fields.flatMap((field, at): Place[] => {
    const id = idOf(at);
    if (field.type !== "group") return [{ field, id }];
    const entries = entriesIn(held.get(field.name));
    const inside = entries.flatMap((entry) =>
      placesOf(field.fields ?? [], entry.held, (place) => idInGroup(id, entry, place)),
    );
    return [{ field, id, entries }, ...inside];
  });
}

/** Without a tool the values are said in the conversation; secrets and contents of files are not. */
async function say(
  app: Shell["app"],
  { title, fields = [] }: FormConfig,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const secrets = secretsIn(fields);
  const shown = JSON.stringify(args, (name, value) => {
    if (secrets.has(name)) return undefined;
    return value instanceof File ? value.name : value;
  });
  const text = `${title ?? "Form"}: ${shown}`;
  const { isError } = await app.sendMessage({ role: "user", content: [{ type: "text", text }] });
  return { content: [], isError: isError === true };
}

function secretsIn(fields: readonly FormField[]): Set<string> {
  const names = fields.flatMap(({ type, name, fields: inner = [] }) =>
    type === "password" ? [name] : [...secretsIn(inner)],
  );
  return new Set(names);
}
