import type { FormField } from "../../src/templates/form-fields.ts";
import { EXPAND, Icon, Name, useShell } from "../shell/shell.tsx";
import { type Held, optionLabel } from "./field-values.ts";
import type { Control } from "./validity.ts";

/** Attributes that tie a control to its label, its help and its problem. */
export interface Ties {
  id: string;
  required: boolean;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

interface EntryProps {
  field: FormField;
  held: Held | undefined;
  ties: Ties;
  onChange(held: Held, control: Control): void;
}

/** The control of a field. */
export function Entry(props: EntryProps) {
  switch (props.field.type) {
    case "checkbox":
      return <Tick {...props} />;
    case "select":
      return <Choice {...props} />;
    case "radio":
      return <Radios {...props} />;
    case "file":
      return <FileChoice {...props} />;
    case "textarea":
    case "json":
    case "lines":
      return <Area {...props} />;
    default:
      return <Line {...props} />;
  }
}

function Tick({ held, ties, onChange }: EntryProps) {
  return (
    <input
      {...ties}
      type="checkbox"
      checked={held === true}
      onChange={({ currentTarget }) => onChange(currentTarget.checked, currentTarget)}
    />
  );
}

function Choice({ field, held, ties, onChange }: EntryProps) {
  const { label } = useShell();
  const { placeholder, options = [] } = field;
  return (
    <div class="select">
      <select
        {...ties}
        class="input"
        value={textIn(held)}
        onChange={({ currentTarget }) => onChange(currentTarget.value, currentTarget)}
      >
        <option value="">{placeholder ?? label(ties.required ? "choose" : "noChoice")}</option>
        {options.map((option, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an option is its place.
          <option key={at} value={String(at)}>
            {optionLabel(option)}
          </option>
        ))}
      </select>
      <Icon path={EXPAND} />
    </div>
  );
}

function Radios({ field: { options = [] }, held, ties, onChange }: EntryProps) {
  const { id, required, ...others } = ties;
  return (
    <div class="radios">
      {options.map((option, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an option is its place.
        <label key={at}>
          <input
            {...others}
            // The form finds a group by its first button.
            id={at === 0 ? id : undefined}
            type="radio"
            name={id}
            required={required}
            value={String(at)}
            checked={held === String(at)}
            onChange={({ currentTarget }) => onChange(currentTarget.value, currentTarget)}
          />
          <Name value={optionLabel(option)} />
        </label>
      ))}
    </div>
  );
}

/** The file stays a file until the form is submitted. */
function FileChoice({ field: { accept }, ties, onChange }: EntryProps) {
  return (
    <input
      {...ties}
      class="input file"
      type="file"
      {...(accept !== undefined && { accept })}
      onChange={({ currentTarget }) => onChange(currentTarget.files?.[0] ?? "", currentTarget)}
    />
  );
}

function Area({ field, held, ties, onChange }: EntryProps) {
  const isCode = field.type === "json";
  return (
    <textarea
      {...ties}
      {...textOptions(field)}
      class={isCode ? "input code" : "input"}
      rows={4}
      spellcheck={!isCode}
      value={textIn(held)}
      onInput={({ currentTarget }) => onChange(currentTarget.value, currentTarget)}
    />
  );
}

// What a page has of its own; everything else is asked for as text.
const INPUTS = ["email", "password", "number", "date"] as const;

function Line({ field, held, ties, onChange }: EntryProps) {
  const { type, min, max, step = "any", pattern } = field;
  const limits = {
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(type === "number" && { step }),
    ...(pattern !== undefined && { pattern }),
  };
  return (
    <input
      {...ties}
      {...textOptions(field)}
      {...limits}
      class="input"
      type={(INPUTS.find((input) => input === type) ?? "text") as "text"}
      autocomplete="off"
      value={textIn(held)}
      onInput={({ currentTarget }) => onChange(currentTarget.value, currentTarget)}
    />
  );
}

function textOptions({ minLength, maxLength, placeholder }: FormField) {
  return {
    // Each text runs the way it is written, whatever way the page runs.
    dir: "auto" as const,
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(placeholder !== undefined && { placeholder }),
  };
}

function textIn(held: Held | undefined): string {
  return typeof held === "string" ? held : "";
}
