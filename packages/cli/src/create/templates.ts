import { fileURLToPath } from "node:url";

/** A project that `vitrine create` can start. */
export interface Template {
  /** For the list that people choose from. */
  summary: string;
  /** Folders of `templates/`, one laid over the other. */
  layers: readonly string[];
}

/** Where the templates are, from the sources and from what is published alike. */
export const TEMPLATE_FOLDER: string = fileURLToPath(new URL("../../templates/", import.meta.url));

/** The name of a template. */
export type TemplateName = "vanilla" | "react" | "vue" | "svelte" | "template-only";

/** Every template, by the name of its own folder. */
export const TEMPLATES: Record<TemplateName, Template> = {
  vanilla: {
    summary: "A View in TypeScript, no framework",
    layers: ["project", "view", "vanilla"],
  },
  react: { summary: "A View with React", layers: ["project", "view", "react"] },
  vue: { summary: "A View with Vue", layers: ["project", "view", "vue"] },
  svelte: { summary: "A View with Svelte", layers: ["project", "view", "svelte"] },
  "template-only": {
    summary: "A ready-made View, nothing to bundle",
    layers: ["project", "template-only"],
  },
};

/** Whether there is a template of that name. */
export function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(TEMPLATES, name);
}
