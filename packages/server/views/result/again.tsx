import type { CallToolResult } from "@vitrine/view";
import { useMemo, useRef, useState } from "preact/hooks";
import type { FormField } from "../../src/templates/form-fields.ts";
import { Field } from "../form/field.tsx";
import { firstHeld, type Held, toArguments } from "../form/field-values.ts";
import { type Control, problemOf } from "../form/validity.ts";
import { cut, Notice, textOf, useShell, useToolCall } from "../shell/shell.tsx";

const FOR_THE_MODEL = 2000;
const idOf = (at: number): string => `again-${at}`;

/** A form with the arguments of the last call, to call the tool with others. */
export function Again({
  tool,
  fields,
  input,
  onResult,
}: {
  tool: string;
  fields: FormField[];
  input: Record<string, unknown> | undefined;
  onResult(result: CallToolResult): void;
}) {
  const { label, announce, tellModel } = useShell();
  const { state, call } = useToolCall();
  const [typed, setTyped] = useState<ReadonlyMap<string, Held>>(new Map());
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const form = useRef<HTMLFormElement>(null);
  const first = useMemo(() => firstHeld(fields, [input]), [fields, input]);
  const held = new Map([...first, ...typed]);
  const isPending = state.status === "pending";

  const check = (): boolean => {
    const found = fields.flatMap((field, at) => {
      const control = form.current?.querySelector<Control>(`#${idOf(at)}`);
      const problem = control ? problemOf(field, control, label) : "";
      return control && problem ? [{ name: field.name, problem, control }] : [];
    });
    setProblems(new Map(found.map(({ name, problem }) => [name, problem])));
    found[0]?.control.focus();
    if (found.length > 0) announce(label("problems", { count: found.length }));
    return found.length === 0;
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isPending || !check()) return;
    const args = toArguments(fields, held);
    const result = await call(tool, args);
    if (!result) return;
    onResult(result);
    announce(label("updated"));
    const said = `The user called ${tool} again with ${JSON.stringify(args)}. ${textOf(result)}`;
    tellModel(cut(said, FOR_THE_MODEL));
  };
  return (
    <details class="call-again">
      <summary>{label("again")}</summary>
      <form noValidate ref={form} onSubmit={submit} aria-busy={isPending}>
        {fields.map((field, at) => (
          <Field
            key={field.name}
            field={field}
            id={idOf(at)}
            held={held.get(field.name)}
            problem={problems.get(field.name)}
            onChange={(value) => setTyped((before) => new Map(before).set(field.name, value))}
          />
        ))}
        {state.status === "failed" && (
          <Notice tone="danger" title={label("notCalled")} text={state.text} />
        )}
        <div class="actions">
          <button type="submit" class="button primary" aria-disabled={isPending}>
            {isPending && <span class="spinner" aria-hidden="true" />}
            {label(isPending ? "calling" : "call")}
          </button>
        </div>
      </form>
    </details>
  );
}
