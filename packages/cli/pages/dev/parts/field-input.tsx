import { type ReactNode, useId } from "react";
import type { Draft } from "../form/form-draft.ts";
import type { LeafNode } from "../form/form-node.ts";

type Value = string | boolean | undefined;

/** One field of a form, with its name, its description and its error. */
export function FieldInput({
  node,
  name,
  required,
  draft,
  error,
  onChange,
}: {
  node: LeafNode;
  name: string;
  required: boolean;
  draft: Draft;
  error: string | undefined;
  onChange(draft: Draft): void;
}): ReactNode {
  const id = useId();
  const { title, description, kind } = node;
  const value = typeof draft === "object" ? undefined : draft;
  const help = error ?? description;
  return (
    <div className="field" data-kind={kind}>
      <label htmlFor={id} className="name">
        <bdi>{title || name}</bdi>
        {title && title !== name && <code>{name}</code>}
        <small className="kind">
          {kind === "json" ? (node.shape ?? "JSON") : kind === "text" ? "string" : kind}
          {required && " · required"}
        </small>
      </label>
      <Control
        node={node}
        required={required}
        value={value}
        onChange={onChange}
        attributes={{
          id,
          "aria-invalid": error !== undefined,
          "aria-required": required,
          ...(help && { "aria-describedby": `${id}-help` }),
        }}
      />
      {help && (
        <span className={error ? "error" : "hint"} id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  );
}

interface ControlProps {
  node: LeafNode;
  required: boolean;
  value: Value;
  onChange(value: Value): void;
  attributes: object;
}

function Control(props: ControlProps): ReactNode {
  switch (props.node.kind) {
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

const TRUTH = [true, false].map((value) => ({ value, label: String(value) }));

function Choices({ node, required, value, onChange, attributes }: ControlProps): ReactNode {
  const { kind, options = [] } = node;
  const chosen = value === undefined ? "" : String(value);
  const choices = kind === "enum" ? options : TRUTH;
  const read = (text: string): Value => {
    if (text === "") return undefined;
    return kind === "boolean" ? text === "true" : text;
  };
  return (
    <select {...attributes} value={chosen} onChange={({ target }) => onChange(read(target.value))}>
      {(!required || chosen === "") && <option value="">not sent</option>}
      {choices.map(({ value: choice, label }) => (
        <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
          {label}
        </option>
      ))}
    </select>
  );
}

const SHAPES = { array: "[ … ]", object: "{ … }" };

function Lines({ node, value = "", onChange, attributes }: ControlProps): ReactNode {
  const text = String(value);
  return (
    <textarea
      {...attributes}
      className={node.kind === "json" ? "code" : undefined}
      rows={Math.min(Math.max(text.split("\n").length, 2), 8)}
      spellCheck={false}
      placeholder={node.shape && SHAPES[node.shape]}
      value={text}
      onChange={({ target }) => onChange(target.value || undefined)}
      onKeyDown={({ key, metaKey, ctrlKey, currentTarget }) => {
        if (key === "Enter" && (metaKey || ctrlKey)) currentTarget.form?.requestSubmit();
      }}
    />
  );
}

const TYPES = { date: "date", time: "time", "date-time": "datetime-local" } as const;

function Line({ node: { kind }, value = "", onChange, attributes }: ControlProps): ReactNode {
  const text = String(value);
  const own = kind === "date" || kind === "time" || kind === "date-time" ? TYPES[kind] : "text";
  // The browser's field for a moment has no zone and would hide a value with one.
  const type = own === "datetime-local" && /[zZ+]|-\d\d:\d\d$/.test(text) ? "text" : own;
  return (
    <input
      {...attributes}
      type={type}
      {...(type === "time" && { step: 1 })}
      inputMode={kind === "number" || kind === "integer" ? "decimal" : undefined}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}
