import { cancel, intro, isCancel, select, text } from "@clack/prompts";
import { TEMPLATES, type TemplateName } from "./templates.ts";

/** Values that can be left out on the command line. */
export interface Answers {
  folder: string;
  template: TemplateName;
}

/** The default folder. */
export const USUAL_FOLDER = "my-app";

/** Asks for the missing values; nothing if the user cancels. */
export async function askFor(
  given: Partial<Answers>,
  { problemOf }: { problemOf(folder: string): string | undefined },
): Promise<Answers | undefined> {
  intro("New MCP App");
  const folder =
    given.folder ??
    (await text({
      message: "Which folder?",
      placeholder: USUAL_FOLDER,
      defaultValue: USUAL_FOLDER,
      validate: (value) => problemOf(value || USUAL_FOLDER),
    }));
  if (isCancel(folder)) return giveUp();
  const template =
    given.template ?? (await select({ message: "Which kind of view?", options: choices() }));
  if (isCancel(template)) return giveUp();
  return { folder, template };
}

function choices(): { value: TemplateName; label: string; hint: string }[] {
  return Object.entries(TEMPLATES).map(([name, { summary }]) => ({
    value: name as TemplateName,
    label: name,
    hint: summary,
  }));
}

function giveUp(): undefined {
  cancel("Nothing was written.");
}
