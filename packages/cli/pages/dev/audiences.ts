// Which part of a run each audience sees: the model, the view, or only code. An author who puts a key into
// `content` or 20,000 rows into the model's text notices it here.

import { describeModelContext, modelResult } from "@vitrine/chat/server";
import type { ModelContextEntry } from "@vitrine/host";
import { cutText, forModel } from "@vitrine/host/model";
import { isVisibleTo } from "@vitrine/protocol/apps";
import type { Run } from "./dev-state.ts";

/** One part of a run, for one audience. */
export interface AudiencePart {
  label: string;
  value: unknown;
  /** The length of the text, or of the JSON. */
  characters: number;
}

/** One audience. */
export interface Audience {
  name: string;
  /** Why it sees these parts. */
  about: string;
  parts: AudiencePart[];
}

const DESCRIPTION = 4096;
// English text and JSON have about four characters a token; a model's own count differs.
const PER_TOKEN = 4;

/** The three audiences of a run. */
export function audiencesOf(
  { tool, arguments: input, result }: Pick<Run, "tool" | "arguments" | "result">,
  context: readonly ModelContextEntry[] = [],
): [model: Audience, view: Audience, code: Audience] {
  const isForModel = isVisibleTo(tool, "model");
  const { name, title, description, inputSchema } = tool;
  const definition = {
    name,
    description: cutText(description ?? title ?? name, DESCRIPTION),
    inputSchema: forModel(inputSchema),
  };
  const told = describeModelContext(context);
  const read = result && modelResult(result).content;
  return [
    {
      name: "Model",
      about: isForModel
        ? "Read by the model, and paid for as tokens."
        : "This tool is only for views, so the model sees neither it nor its result.",
      parts: isForModel
        ? [
            part("Tool definition", definition),
            part("Input", input),
            ...(read ?? []).map((block) =>
              block.type === "text"
                ? part("Result text", block.text)
                : part("Result image", `${block.mimeType}, ${block.data.length} characters`),
            ),
            ...(told === undefined ? [] : [part("From the view", told)]),
          ]
        : [],
    },
    {
      name: "View",
      about: "Delivered to the view, which may show it to the user.",
      parts: [
        part("Input", input),
        ...(result?.structuredContent === undefined
          ? []
          : [part("structuredContent", result.structuredContent)]),
        ...(result ? [part("content", result.content ?? [])] : []),
      ],
    },
    {
      name: "Only code",
      about: "Read by the code of host and view; never by the model, and not shown by itself.",
      parts: [
        ...(result?._meta ? [part("_meta of the result", result._meta)] : []),
        ...(tool._meta ? [part("_meta of the tool", tool._meta)] : []),
      ],
    },
  ];
}

/** A rough count: real tokenizers differ by model and language. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / PER_TOKEN);
}

function part(label: string, value: unknown): AudiencePart {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return { label, value, characters: text.length };
}
