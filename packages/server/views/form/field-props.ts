import { createContext } from "preact";
import type { FormField } from "../../src/templates/form-fields.ts";
import type { Held } from "./field-values.ts";
import type { Control } from "./validity.ts";

/** The props of a field. */
export interface FieldProps {
  field: FormField;
  id: string;
  held: Held | undefined;
  problem: string | undefined;
  onChange(held: Held, control?: Control): void;
}

/** The problems of fields by id, for groups whose fields the form doesn't draw itself. */
export interface Checks {
  problems: ReadonlyMap<string, string>;
  recheck(field: FormField, id: string, control: Control | undefined): void;
}

export const ChecksContext: import("preact").Context<Checks> = createContext<Checks>({
  problems: new Map(),
  recheck: () => {},
});
