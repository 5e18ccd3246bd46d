import { type ReactNode, useId } from "react";
import type { FormField as Field } from "../../src/questions/question.ts";

/** The value of a field while the user edits it. */
export type FieldValue = string | number | boolean | string[] | undefined;

const TYPES = { email: "email", uri: "url", date: "date", "date-time": "datetime-local" } as const;

/** One field of a form, with its label above and its help below. */
export function FieldInput({
  field,
  value,
  onChange,
}: {
  field: Field;
  value: FieldValue;
  onChange(value: FieldValue): void;
}): ReactNode {
  const id = useId();
  if (field.kind === "yes-no") {
    return (
      <div className="form-field">
        <label className="check">
          <input
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          {field.label}
        </label>
        {field.help && <p className="quiet">{field.help}</p>}
      </div>
    );
  }
  return (
    <div className="form-field">
      <label htmlFor={id}>
        {field.label}
        {field.isRequired && <span className="quiet"> (required)</span>}
      </label>
      <Control id={id} field={field} value={value} onChange={onChange} />
      {field.help && <p className="quiet">{field.help}</p>}
    </div>
  );
}

function Control({
  id,
  field,
  value,
  onChange,
}: {
  id: string;
  field: Field;
  value: FieldValue;
  onChange(value: FieldValue): void;
}): ReactNode {
  const { kind, options = [], isRequired: required } = field;
  if (kind === "choice") {
    return (
      <select
        id={id}
        required={required}
        value={String(value ?? "")}
        onChange={(event) => onChange(event.target.value || undefined)}
      >
        <option value="">Choose…</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "choices") {
    const chosen = Array.isArray(value) ? value : [];
    return (
      <div id={id} className="choices">
        {options.map((option) => (
          <label key={option.value} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={({ target }) => {
                const others = chosen.filter((one) => one !== option.value);
                onChange(target.checked ? [...others, option.value] : others);
              }}
            />
            {option.label}
          </label>
        ))}
      </div>
    );
  }
  const isNumber = kind === "number" || kind === "integer";
  const limits = isNumber
    ? { min: field.least, max: field.most, step: kind === "integer" ? 1 : "any" }
    : { minLength: field.least, maxLength: field.most };
  return (
    <input
      id={id}
      type={isNumber ? "number" : field.format ? TYPES[field.format] : "text"}
      required={required}
      autoComplete="off"
      value={String(value ?? "")}
      onChange={(event) => onChange(event.target.value)}
      {...limits}
    />
  );
}
