import type { FormField } from "../../src/templates/form-fields.ts";
import { humanise, Name, Text } from "../shell/shell.tsx";
import { Entry } from "./entry.tsx";
import type { Held } from "./field-values.ts";
import type { Control } from "./validity.ts";

interface FieldProps {
  field: FormField;
  id: string;
  held: Held | undefined;
  problem: string | undefined;
  onChange(held: Held, control: Control): void;
}

/** A field with its label, its help and what is wrong with it, tied together. */
export function Field(props: FieldProps) {
  const { field, id, held, problem, onChange } = props;
  const { label = humanise(field.name), help, required, type } = field;
  const name = (
    <label for={id}>
      <Name value={label} />
      {required === true && (
        <span class="star" aria-hidden="true">
          {" *"}
        </span>
      )}
    </label>
  );
  const isCheck = type === "checkbox";
  const described = [help && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(" ");
  const ties = {
    id,
    required: required === true,
    "aria-describedby": described || undefined,
    "aria-invalid": problem ? (true as const) : undefined,
  };
  return (
    <div class={isCheck ? "field check" : "field"}>
      {!isCheck && name}
      {!isCheck && <Help id={id} help={help} />}
      <Entry field={field} held={held} ties={ties} onChange={onChange} />
      {isCheck && name}
      {isCheck && <Help id={id} help={help} />}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

function Help({ id, help }: { id: string; help: string | undefined }) {
  return help ? (
    <p class="help" id={`${id}-help`}>
      <Text value={help} short={600} />
    </p>
  ) : null;
}
