// Ready-made views: JSON in; page, text and types out. Adding a name here makes it public.

import type { ViewSource } from "../view-source.ts";
import { chart } from "./chart.ts";
import { dataTable } from "./data-table.ts";
import { detail } from "./detail.ts";
import { diffViewer } from "./diff-viewer.ts";
import { form } from "./form.ts";
import { gallery } from "./gallery.ts";
import { kanban } from "./kanban.ts";
import { page } from "./page.ts";
import { progress } from "./progress.ts";
import { type Template, type TemplateConfig, TemplateError } from "./template.ts";
import type { TemplateName } from "./template-page.ts";
import { treeView } from "./tree-view.ts";

export { type ChartConfig, chart } from "./chart.ts";
export {
  type BadgeTone,
  type DataTableColumn,
  type DataTableConfig,
  dataTable,
} from "./data-table.ts";
export { type DetailConfig, type DetailField, detail } from "./detail.ts";
export { type DiffViewerConfig, diffViewer } from "./diff-viewer.ts";
export { type FormConfig, form } from "./form.ts";
export { type FormField, type FormFieldType, type FormOption, fieldsFrom } from "./form-fields.ts";
export { type GalleryConfig, gallery } from "./gallery.ts";
export { type KanbanConfig, kanban } from "./kanban.ts";
export { checkPage, type PageDocument, page } from "./page.ts";
export type { BlockAction, BlockData, BlockType, PageBlock, PageConfig } from "./page-blocks.ts";
export { type ProgressConfig, progress } from "./progress.ts";
export {
  type Template,
  type TemplateConfig,
  TemplateError,
  type TemplateErrorCode,
} from "./template.ts";
export type { TemplateName } from "./template-page.ts";
export type { RowAction, ToolAction } from "./tool-action.ts";
export { type TreeViewConfig, treeView } from "./tree-view.ts";
export type { ValueFormat } from "./value-format.ts";

// Only the template knows its own config, and rejects an invalid one.
const ALL = [
  form,
  dataTable,
  progress,
  diffViewer,
  treeView,
  kanban,
  chart,
  detail,
  gallery,
  page,
] as unknown as readonly Template[];

/** Every template by its name. */
export const TEMPLATES: ReadonlyMap<TemplateName, Template> = new Map(
  ALL.map((made) => [made.templateName, made]),
);

/** A View by the name of its template, as `ui.meta.json` gives it. */
export function template(name: string, config: TemplateConfig = {}): ViewSource {
  const made = TEMPLATES.get(name as TemplateName);
  if (!made) {
    const names = [...TEMPLATES.keys()].join(", ");
    throw new TemplateError(
      "unknown-template",
      `Unknown template "${name}". Choose from: ${names}.`,
    );
  }
  return made(config);
}
