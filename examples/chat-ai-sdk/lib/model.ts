import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

const provider = createOpenAICompatible({
  name: "example",
  baseURL: process.env.MODEL_URL ?? "http://127.0.0.1:3102/v1",
  ...(process.env.MODEL_KEY && { apiKey: process.env.MODEL_KEY }),
});

export const model = provider(process.env.MODEL_NAME ?? "scripted");
