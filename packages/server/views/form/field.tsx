import { humanise, Name, Text } from "../shell/shell.tsx";
import { Entry, type Ties } from "./entry.tsx";
import type { FieldProps } from "./field-props.ts";
import { Group } from "./group.tsx";

/** A field with its label, and its help or what is wrong with it, tied together. */
export function Field(props: FieldProps) {
  const { field, id, held, problem, onChange } = props;
  const { label = humanise(field.name), required, type } = field;
  const name = (
    <>
      <Name value={label} />
      {required === true && (
        <span class="star" aria-hidden="true">
          {" *"}
        </span>
      )}
    </>
  );
  const note = <Note {...props} />;
  const ties: Ties = {
    id,
    required: required === true,
    "aria-describedby": problem || field.help ? `${id}-note` : undefined,
    "aria-invalid": problem ? true : undefined,
  };
  if (type === "group") {
    return (
      <fieldset class="field group" aria-describedby={ties["aria-describedby"]}>
        <legend>{name}</legend>
        <Group {...props} draw={(inner) => <Field {...inner} />} />
        {note}
      </fieldset>
    );
  }
  const entry = <Entry field={field} held={held} ties={ties} onChange={onChange} />;
  if (type === "radio") {
    return (
      <fieldset class="field">
        <legend>{name}</legend>
        {entry}
        {note}
      </fieldset>
    );
  }
  const isCheck = type === "checkbox";
  return (
    <div class={isCheck ? "field check" : "field"}>
      {isCheck && entry}
      <label for={id}>{name}</label>
      {!isCheck && entry}
      {note}
    </div>
  );
}

/** Help, until there is something wrong. */
function Note({ id, problem, field: { help } }: FieldProps) {
  if (problem) {
    return (
      <p class="problem" id={`${id}-note`}>
        {problem}
      </p>
    );
  }
  return help ? (
    <p class="help" id={`${id}-note`}>
      <Text value={help} short={600} />
    </p>
  ) : null;
}
