// The language model of the chat. Keys are read here, from the environment, and stay in this process.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { Failure } from "../../failure.ts";
import type { ModelName } from "./model-name.ts";

/** A model that is ready. */
export interface ChatModel {
  readonly model: LanguageModel;
  /** Shown to the user. */
  readonly name: string;
  /** Values that no page may receive. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const LIST_TIMEOUT = 10_000;

/** Prepares the model. Throws a `Failure` if it can't be used. */
export async function openModel(
  name: ModelName,
  { env = process.env }: { env?: Environment } = {},
): Promise<ChatModel> {
  // About settings that a provider chose itself: nothing that a user of the chat could change.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  switch (name.kind) {
    case "anthropic":
      return openAnthropic(name.model, env);
    case "openai": {
      const url = new URL(env.OPENAI_BASE_URL || "https://api.openai.com/v1");
      return openEndpoint(url, name.model, keyOf(env, "OPENAI_API_KEY", name.model));
    }
    case "endpoint":
      // A key for OpenAI isn't sent to another address.
      return openEndpoint(name.url, name.model, env.VITRINE_MODEL_KEY || undefined);
    case "script":
      return openScript(name.file);
    case "local":
      return openLocal(env);
  }
}

async function openScript(file: string): Promise<ChatModel> {
  // Only then: other models don't need an endpoint in this process.
  const { startScriptedModel } = await import("../scripted-model/scripted-model.ts");
  const script = await startScriptedModel({ script: file }).catch((error: unknown) => {
    throw new Failure("unreadable", (error as Error).message, { cause: error });
  });
  const opened = await openEndpoint(new URL(script.url), undefined, undefined);
  return { ...opened, close: () => script.close() };
}

async function openLocal(env: Environment): Promise<ChatModel> {
  const { findInstalledModel } = await import("../local-model/installed-model.ts");
  const { loadEngine } = await import("../local-model/llama-engine.ts");
  const { startLocalModel } = await import("../local-model/local-model.ts");
  const installed = findInstalledModel(env);
  const engine = await loadEngine(installed).catch((error: unknown) => {
    const reason = (error as Error).message;
    const text = `The model ${installed.file} can't be loaded: ${reason}. Set VITRINE_LOCAL_MODEL to another GGUF file.`;
    throw new Failure("unreadable", text, { cause: error });
  });
  const local = await startLocalModel(engine);
  const opened = await openEndpoint(new URL(local.url), engine.name, undefined);
  return { ...opened, close: () => local.close() };
}

function openAnthropic(model: string, env: Environment): ChatModel {
  const apiKey = keyOf(env, "ANTHROPIC_API_KEY", model);
  const base = (env.ANTHROPIC_BASE_URL || "https://api.anthropic.com").replace(/\/+$/, "");
  // Anthropic's own tools leave the version out of this variable.
  const baseURL = base.endsWith("/v1") ? base : `${base}/v1`;
  return ready(createAnthropic({ apiKey, baseURL })(model), model, apiKey);
}

async function openEndpoint(
  url: URL,
  model: string | undefined,
  apiKey: string | undefined,
): Promise<ChatModel> {
  const baseURL = url.href.replace(/\/+$/, "");
  const name = model ?? (await firstModel(baseURL, apiKey));
  const provider = createOpenAICompatible({
    name: "endpoint",
    baseURL,
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
  });
  return ready(provider.chatModel(name), name, apiKey);
}

function ready(model: LanguageModel, name: string, apiKey: string | undefined): ChatModel {
  return { model, name, secrets: apiKey ? [apiKey] : [], close: async () => {} };
}

function keyOf(env: Environment, variable: string, model: string): string {
  const key = env[variable];
  if (key) return key;
  throw new Failure("usage", `The model ${model} needs a key. Set ${variable} and start again.`);
}

async function firstModel(baseURL: string, apiKey: string | undefined): Promise<string> {
  const address = `${baseURL}/models`;
  const hint = "Name the model with --model-name.";
  let body: unknown;
  try {
    const response = await fetch(address, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(LIST_TIMEOUT),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    body = await response.json();
  } catch (error) {
    throw new Failure(
      "server-unreachable",
      `${address} didn't list its models: ${(error as Error).message}. Check that the endpoint runs. ${hint}`,
      { cause: error },
    );
  }
  const models: unknown = Object(body).data;
  const id: unknown = Array.isArray(models) ? Object(models[0]).id : undefined;
  if (typeof id === "string" && id !== "") return id;
  throw new Failure("server-unreachable", `${address} lists no model. ${hint}`);
}
