import { Failure } from "../../failure.ts";

/** A model as it is named on the command line. */
export type ModelName =
  | { kind: "endpoint"; url: URL; model: string | undefined }
  | { kind: "anthropic" | "openai"; model: string }
  | { kind: "script"; file: string }
  | { kind: "local"; model: string | undefined };

const CHOICES = `Use one of these:
  --model http://localhost:11434/v1   an endpoint that is compatible with OpenAI; its key is VITRINE_MODEL_KEY
  --model anthropic:<model>           Anthropic; its key is ANTHROPIC_API_KEY
  --model openai:<model>              OpenAI; its key is OPENAI_API_KEY
  --model script:<file>               answers from a file, for demos and tests
  --model local                       a small model on this machine, if it is installed`;

/** Reads `--model`; `name` is `--model-name`. */
export function readModelName(text: string | undefined, name?: string): ModelName {
  if (text === undefined || text === "")
    throw new Failure("usage", `The model is missing. ${CHOICES}`);
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text))
      throw new Failure("usage", `--model "${text}" isn't a valid address. ${CHOICES}`);
    return { kind: "endpoint", url: new URL(text), model: name };
  }
  const [, provider = text, rest = ""] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  switch (provider) {
    case "anthropic":
    case "openai":
      return { kind: provider, model: required(rest || name, text, `${provider}:<model>`) };
    case "script":
      return { kind: "script", file: required(rest, text, "script:answers.json") };
    case "local":
      return { kind: "local", model: rest || name };
    default:
      throw new Failure("usage", `--model "${text}" isn't known. ${CHOICES}`);
  }
}

function required(value: string | undefined, text: string, example: string): string {
  if (value) return value;
  throw new Failure("usage", `--model "${text}" is incomplete. Write it as ${example}.`);
}
