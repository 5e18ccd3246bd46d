import type { DataTableColumn } from "../templates/data-table.ts";
import type { DetailField } from "../templates/detail.ts";
import type { FormField } from "../templates/form-fields.ts";
import type { TemplateConfig } from "../templates/template.ts";

/** The View that shows whatever a tool gives: tables, cards, trees, differences, text, images. */
export interface ResultConfig extends TemplateConfig {
  /** Properties of the result in the order of its schema, with their names in words. */
  fields?: DetailField[];
  /** Columns of the lists in the result by their property; of a list alone, under "". */
  columns?: Record<string, DataTableColumn[]>;
  /** How the tool is called again from the View; without it there is no form. */
  again?: {
    tool: string;
    fields: FormField[];
  };
}

/** What an adorned result carries for its View alone: text that was read as what it is. */
export interface ViewData {
  /** Of the one text in the structured content. */
  structured?: TextData;
  /** Of text blocks, by their place in `content`. */
  blocks?: Record<string, TextData>;
}

/** Text as data. */
export type TextData =
  | { kind: "json"; value: unknown; title?: string }
  | { kind: "diff"; lines: string[] };

/** Under which key of a result's `_meta` it travels; hosts give that to Views and not to models. */
export const VIEW_DATA_KEY = "vitrine/view-data";
