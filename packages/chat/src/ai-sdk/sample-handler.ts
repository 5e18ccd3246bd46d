import type { CreateMessageRequest, CreateMessageResult } from "@vitrine/protocol/apps";
import { describeMismatch, validateRequest } from "@vitrine/protocol/apps/validation";
import { generateText, type LanguageModel, type ModelMessage } from "ai";

/** Options of `createSampleHandler`. */
export interface SampleHandlerOptions<User> {
  /** The model that views may use. */
  model: LanguageModel | ((user: User) => LanguageModel);
  /** Identifies the user. Return nothing to reject the request, or your own response. */
  authorize(request: Request): User | Response | undefined | Promise<User | Response | undefined>;
  /** The most tokens of one answer; 1,024. */
  maxOutputTokens?: number;
}

const LONGEST = 256 * 1024;

/**
 * Answers `sampling/createMessage` of views, which the page's host sends after the user agreed. A view
 * gets the model without tools and without the conversation.
 */
export function createSampleHandler<User>(
  options: SampleHandlerOptions<User>,
): (request: Request) => Promise<Response> {
  const { authorize, model, maxOutputTokens = 1024 } = options;
  const answer = async (request: Request, user: User): Promise<CreateMessageResult> => {
    const params = await readParams(request);
    const chosen = isFunction(model) ? model(user) : model;
    const { systemPrompt } = params;
    const result = await generateText({
      model: chosen,
      ...(systemPrompt !== undefined && { instructions: systemPrompt }),
      messages: params.messages.map(toMessage),
      maxOutputTokens: Math.min(params.maxTokens ?? maxOutputTokens, maxOutputTokens),
      abortSignal: request.signal,
    });
    return {
      role: "assistant",
      model: typeof chosen === "string" ? chosen : chosen.modelId,
      content: { type: "text", text: result.text },
      stopReason: result.finishReason === "length" ? "maxTokens" : "endTurn",
    };
  };
  return async (request) => {
    const user = await authorize(request);
    if (user instanceof Response) return user;
    if (user === undefined) return reject(401, "Log in first.");
    try {
      return Response.json(await answer(request, user), {
        headers: { "cache-control": "no-store" },
      });
    } catch (error) {
      if (error instanceof Rejection) return reject(error.status, error.message);
      throw error;
    }
  };
}

class Rejection extends Error {
  declare readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function isFunction<User>(
  model: SampleHandlerOptions<User>["model"],
): model is (user: User) => LanguageModel {
  return typeof model === "function";
}

async function readParams(request: Request): Promise<CreateMessageRequest["params"]> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new Rejection(415, "Send application/json.");
  }
  const text = await request.text();
  if (text.length > LONGEST) throw new Rejection(413, `At most ${LONGEST} characters.`);
  const checked = validateRequest("view", "sampling/createMessage", readJson(text));
  if (checked.ok) return checked.value as CreateMessageRequest["params"];
  throw new Rejection(400, describeMismatch(checked));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Rejection(400, "The body isn't JSON.");
  }
}

function toMessage({
  role,
  content,
}: CreateMessageRequest["params"]["messages"][number]): ModelMessage {
  const blocks = Array.isArray(content) ? content : [content];
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { role, content: text };
}

function reject(status: number, message: string): Response {
  return Response.json({ error: message }, { status });
}
