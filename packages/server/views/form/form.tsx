import type { CallToolResult } from "@vitrine/view";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FormConfig } from "../../src/templates/form.ts";
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
import { firstHeld, type Held, toArguments } from "./field-values.ts";
import { type Control, problemOf } from "./validity.ts";

const idOf = (at: number): string => `field-${at}`;

/** The form, and what became of it. */
export function Form(props: BodyProps<FormConfig, unknown>) {
  const { config, isWriting } = props;
  const { fields = [], submitTool, submitArgs, cancelable } = config;
  const { app, label, tellModel } = useShell();
  const { held, change } = useHeld(props);
  const { problems, checkAll, recheck } = useProblems(config);
  const { state, call, perform, reset } = useToolCall();
  const [isGivenUp, setGivenUp] = useState(false);
  if (fields.length === 0) return <Empty />;

  const title = config.title ?? "form";
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isWriting || state.status === "pending" || !checkAll(event.currentTarget as Element))
      return;
    const args = toArguments(fields, held, submitArgs);
    if (submitTool === undefined) {
      await perform(() => say(app, config, args));
      return;
    }
    const result = await call(submitTool, args);
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
    // The browser's own bubbles would hide what stands below, and cannot be styled or read again.
    <form noValidate onSubmit={submit} aria-busy={isPending}>
      {isWriting && <Writing />}
      {fields.map((field, at) => (
        <Field
          key={field.name}
          field={field}
          id={idOf(at)}
          held={held.get(field.name)}
          problem={problems.get(field.name)}
          onChange={(value, control) => {
            change(field.name, value);
            recheck(field, control);
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
function useProblems({ fields = [] }: FormConfig) {
  const { label, announce } = useShell();
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const checkAll = (form: Element): boolean => {
    const found = fields.flatMap((field, at) => {
      const control = form.querySelector<Control>(`#${idOf(at)}`);
      const problem = control ? problemOf(field, control, label) : "";
      return control && problem ? [{ name: field.name, problem, control }] : [];
    });
    setProblems(new Map(found.map(({ name, problem }) => [name, problem])));
    const [first] = found;
    if (first) {
      announce(label("problems", { count: found.length }));
      first.control.focus();
    }
    return !first;
  };
  const recheck = (field: (typeof fields)[number], control: Control): void => {
    if (!problems.has(field.name)) return;
    const problem = problemOf(field, control, label);
    setProblems((before) => {
      const after = new Map(before);
      if (problem) after.set(field.name, problem);
      else after.delete(field.name);
      return after;
    });
  };
  return { problems, checkAll, recheck };
}

/** Without a tool the values are said in the conversation; secrets are not. */
async function say(
  app: Shell["app"],
  { title, fields = [] }: FormConfig,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const secret = new Set(fields.flatMap(({ type, name }) => (type === "password" ? name : [])));
  const shown = Object.fromEntries(Object.entries(args).filter(([name]) => !secret.has(name)));
  const text = `${title ?? "Form"}: ${JSON.stringify(shown)}`;
  const { isError } = await app.sendMessage({ role: "user", content: [{ type: "text", text }] });
  return { content: [], isError: isError === true };
}
