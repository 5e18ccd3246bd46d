// Runs a model on this machine's processor with `node-llama-cpp`.

import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { importInstalled } from "./import-installed.ts";
import type { InstalledModel } from "./installed-model.ts";

/** One entry of a conversation. */
export interface Spoken {
  from: "user" | "model";
  text: string;
}

/** What a model writes. */
export interface Writing {
  system: string;
  /** The conversation; it ends with the user's message. */
  entries: readonly Spoken[];
  /** The text has this shape: one of some words, or an object of a JSON Schema. */
  shape?: { words: readonly string[] } | { schema: Record<string, unknown> };
  mostTokens: number;
  signal: AbortSignal;
  onText?(text: string): void;
}

/** A loaded model. */
export interface LocalEngine {
  readonly name: string;
  write(writing: Writing): Promise<string>;
  close(): Promise<void>;
}

// The parts of the package that are used.
interface Llama {
  loadModel(options: object): Promise<Model>;
  createGrammarForJsonSchema(schema: object): Promise<object>;
  dispose(): Promise<void>;
}
interface Model {
  createContext(options: object): Promise<{ getSequence(): Sequence }>;
}
interface Sequence {
  clearHistory(): Promise<void>;
}
interface Session {
  setChatHistory(history: object[]): void;
  prompt(text: string, options: object): Promise<string>;
  dispose(): void;
}
interface LlamaModule {
  getLlama(options: object): Promise<Llama>;
  LlamaChatSession: new (options: object) => Session;
}

const CONTEXT = 4096;
const MOST_THREADS = 4;

/** Loads the model. */
export async function loadEngine({ file, module }: InstalledModel): Promise<LocalEngine> {
  const { getLlama, LlamaChatSession } = await importInstalled<LlamaModule>(module);
  // Never compiled here: that would take minutes, and needs tools that few machines have.
  const llama = await getLlama({ gpu: false, build: "never", logLevel: "error" });
  const model = await llama.loadModel({ modelPath: file });
  // Its threads wait actively: more of them than free processors make it many times slower.
  const threads = Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));
  const context = await model.createContext({ contextSize: CONTEXT, threads });
  const sequence = context.getSequence();

  const run = async (writing: Writing): Promise<string> => {
    const { system, entries, shape, mostTokens, signal, onText } = writing;
    signal.throwIfAborted();
    await sequence.clearHistory();
    const session = new LlamaChatSession({
      contextSequence: sequence,
      autoDisposeSequence: false,
      systemPrompt: system,
    });
    const earlier = entries
      .slice(0, -1)
      .map(({ from, text }) =>
        from === "user" ? { type: "user", text } : { type: "model", response: [text] },
      );
    session.setChatHistory([{ type: "system", text: system }, ...earlier]);
    const schema = shape && ("words" in shape ? { enum: [...shape.words] } : plain(shape.schema));
    try {
      return await session.prompt(entries.at(-1)?.text ?? "", {
        maxTokens: mostTokens,
        temperature: schema ? 0 : 0.3,
        signal,
        ...(schema && { grammar: await llama.createGrammarForJsonSchema(schema) }),
        ...(onText && { onTextChunk: onText }),
      });
    } finally {
      session.dispose();
    }
  };
  // One request after the other: they share the context.
  let last: Promise<unknown> = Promise.resolve();
  return {
    name: basename(file, ".gguf"),
    write: (writing) => {
      const next = last.then(() => run(writing));
      last = next.catch(() => undefined);
      return next;
    },
    close: () => llama.dispose(),
  };
}

interface JsonSchema {
  type?: unknown;
  enum?: unknown;
  properties?: unknown;
  items?: unknown;
  required?: unknown;
}

const TYPES: readonly unknown[] = ["string", "number", "integer", "boolean", "null"];

/** The part of a schema that a grammar can be made of; anything else becomes a string. */
export function plain(schema: unknown, depth = 0): Record<string, unknown> {
  const { type, enum: words, properties, items, required } = Object(schema) as JsonSchema;
  if (Array.isArray(words)) return { enum: words };
  if (depth < 4 && (type === "object" || properties !== undefined)) {
    const asked = Array.isArray(required) ? new Set<string>(required) : undefined;
    const entries = Object.entries(Object(properties) as object).filter(
      // A small model fills in optional arguments at random.
      ([name]) => !asked || asked.size === 0 || asked.has(name),
    );
    return {
      type: "object",
      properties: Object.fromEntries(
        entries.map(([name, value]) => [name, plain(value, depth + 1)]),
      ),
    };
  }
  if (depth < 4 && type === "array") return { type: "array", items: plain(items, depth + 1) };
  return { type: TYPES.includes(type) ? type : "string" };
}
