import { fileURLToPath } from "node:url";

/** A project that `vitrine create` can create. */
export interface Template {
  /** For the list of choices. */
  summary: string;
  /** Folders of `templates/`, copied over each other. */
  layers: readonly string[];
}

/** The folder of the templates, both in the sources and in the published package. */
export const TEMPLATE_FOLDER: string = fileURLToPath(new URL("../../templates/", import.meta.url));

/** The name of a template. */
export type TemplateName = "vanilla" | "react" | "vue" | "svelte" | "template-only";

/** Every template, by the name of its folder. */
export const TEMPLATES: Record<TemplateName, Template> = {
  vanilla: {
    summary: "A view in TypeScript, without a framework",
    layers: ["project", "view", "vanilla"],
  },
  react: { summary: "A view with React", layers: ["project", "view", "react"] },
  vue: { summary: "A view with Vue", layers: ["project", "view", "vue"] },
  svelte: { summary: "A view with Svelte", layers: ["project", "view", "svelte"] },
  "template-only": {
    summary: "A ready-made view, nothing to bundle",
    layers: ["project", "template-only"],
  },
};

/** Whether a template of that name exists. */
export function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(TEMPLATES, name);
}
