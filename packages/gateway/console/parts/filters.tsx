import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { type Address, goTo } from "../address.ts";
import { Icon } from "./icon.tsx";

/** A field of a filter form. */
export interface FilterField {
  name: string;
  label: string;
  placeholder?: string;
  /** A date and time of the browser's time zone. */
  isTime?: boolean;
  options?: readonly (readonly [value: string, label: string])[];
}

/** A form whose values are in the address, so that a search can be linked. */
export function Filters({
  address,
  fields,
  verb = "Filter",
}: {
  address: Address;
  fields: readonly FilterField[];
  verb?: string;
}): JSX.Element {
  const [values, setValues] = useState(address.query);
  const set = (name: string, value: string): void => setValues({ ...values, [name]: value.trim() });
  const hasFilters = fields.some(({ name }) => address.query[name]);
  return (
    <search>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          goTo({ ...address, query: values });
        }}
      >
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            onValue={(value) => set(field.name, value)}
          />
        ))}
        <div class="actions">
          <button type="submit">
            <Icon name="search" />
            {verb}
          </button>
          {hasFilters && (
            <button
              type="button"
              class="link"
              onClick={() => {
                setValues({});
                goTo({ ...address, query: {} });
              }}
            >
              Clear
            </button>
          )}
        </div>
      </form>
    </search>
  );
}

function Field({
  field: { label, placeholder = "", isTime, options },
  value,
  onValue,
}: {
  field: FilterField;
  value: string;
  onValue(value: string): void;
}): JSX.Element {
  const id = useId();
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }): void =>
    onValue(currentTarget.value);
  return (
    <div class={isTime ? "field wide" : "field"}>
      <label for={id}>{label}</label>
      {options && (
        <select id={id} value={value} onChange={onInput}>
          {options.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
      {isTime && <input id={id} type="datetime-local" value={value} onInput={onInput} />}
      {!options && !isTime && (
        <input
          id={id}
          value={value}
          placeholder={placeholder}
          autocomplete="off"
          spellcheck={false}
          onInput={onInput}
        />
      )}
    </div>
  );
}
