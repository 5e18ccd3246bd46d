import type { DataTableColumn } from "../templates/data-table.ts";
import type { DetailField } from "../templates/detail.ts";
import type { FormField } from "../templates/form-fields.ts";
import type { TemplateConfig } from "../templates/template.ts";

/** The view that shows any result: tables, cards, trees, differences, text, images. */
export interface ResultConfig extends TemplateConfig {
  /** Properties of the result in the order of its schema, with their labels. */
  fields?: DetailField[];
  /** Columns of the lists in the result by their property; of a list alone, under "". */
  columns?: Record<string, DataTableColumn[]>;
  /** How the view calls the tool again; without it there is no form. */
  again?: {
    tool: string;
    fields: FormField[];
  };
}

/** Data for the view alone, which we add to a result: text that was parsed. */
export interface ViewData {
  /** The only text in the structured content. */
  structured?: TextData;
  /** Text blocks, by their index in `content`. */
  blocks?: Record<string, TextData>;
}

/** Text as data. */
export type TextData =
  | { kind: "json"; value: unknown; title?: string }
  | { kind: "diff"; lines: string[] };

/** The key in a result's `_meta`; hosts pass it to views and not to models. */
export const VIEW_DATA_KEY = "vitrine/view-data";
