import { type ReactNode, useId } from "react";
import type { FormField, FormValues } from "../schema-form.ts";

type Value = FormValues[string];

/** One field of a form, with its name, its description and its error. */
export function FieldInput({
  field,
  value,
  error,
  onChange,
}: {
  field: FormField;
  value: Value;
  error: string | undefined;
  onChange(value: Value): void;
}): ReactNode {
  const id = useId();
  const { label, description, required, kind, name } = field;
  const described = [description && `${id}-about`, error && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="field" data-kind={kind}>
      <label htmlFor={id} className="name">
        <bdi>{label}</bdi>
        {label !== name && <code>{name}</code>}
        <small className="kind">
          {kind === "json" ? (field.shape ?? "JSON") : kind === "text" ? "string" : kind}
          {required && " · required"}
        </small>
      </label>
      <Control
        field={field}
        value={value}
        onChange={onChange}
        attributes={{
          id,
          "aria-invalid": error !== undefined,
          "aria-required": required,
          ...(described && { "aria-describedby": described }),
        }}
      />
      {error && (
        <span className="error" id={`${id}-error`}>
          {error}
        </span>
      )}
      {description && (
        <span className="hint" id={`${id}-about`}>
          {description}
        </span>
      )}
    </div>
  );
}

interface ControlProps {
  field: FormField;
  value: Value;
  onChange(value: Value): void;
  attributes: object;
}

function Control(props: ControlProps): ReactNode {
  switch (props.field.kind) {
    case "boolean":
    case "enum":
      return <Choices {...props} />;
    case "text":
    case "json":
      return <Lines {...props} />;
    default:
      return <Line {...props} />;
  }
}

function Choices({ field, value, onChange, attributes }: ControlProps): ReactNode {
  const { kind, required, options = [] } = field;
  const chosen = value === undefined ? "" : String(value);
  const choices = kind === "enum" ? options : [true, false];
  return (
    <select
      {...attributes}
      value={chosen}
      onChange={({ target }) => onChange(readChoice(kind, target.value))}
    >
      {(!required || chosen === "") && <option value="">not sent</option>}
      {choices.map((choice) => (
        <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
          {typeof choice === "string" ? choice : JSON.stringify(choice)}
        </option>
      ))}
    </select>
  );
}

const SHAPES = { array: "[ … ]", object: "{ … }" };

function Lines({ field, value = "", onChange, attributes }: ControlProps): ReactNode {
  const text = String(value);
  return (
    <textarea
      {...attributes}
      className={field.kind === "json" ? "code" : undefined}
      rows={Math.min(Math.max(text.split("\n").length, 2), 8)}
      spellCheck={false}
      placeholder={field.shape && SHAPES[field.shape]}
      value={text}
      onChange={({ target }) => onChange(target.value || undefined)}
      onKeyDown={({ key, metaKey, ctrlKey, currentTarget }) => {
        if (key === "Enter" && (metaKey || ctrlKey)) currentTarget.form?.requestSubmit();
      }}
    />
  );
}

function Line({ field, value = "", onChange, attributes }: ControlProps): ReactNode {
  return (
    <input
      {...attributes}
      type="text"
      inputMode={field.kind === "string" ? undefined : "decimal"}
      autoComplete="off"
      spellCheck={false}
      value={String(value)}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}

function readChoice(kind: FormField["kind"], chosen: string): Value {
  if (chosen === "") return undefined;
  return kind === "boolean" ? chosen === "true" : chosen;
}
