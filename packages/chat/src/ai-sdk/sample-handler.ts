import { RequestRejection, readJsonBody } from "@vitrine/host/remote";
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
    if (user === undefined) return new RequestRejection(401, "Log in first.").toResponse();
    try {
      return Response.json(await answer(request, user), {
        headers: { "cache-control": "no-store" },
      });
    } catch (error) {
      if (error instanceof RequestRejection) return error.toResponse();
      throw error;
    }
  };
}

function isFunction<User>(
  model: SampleHandlerOptions<User>["model"],
): model is (user: User) => LanguageModel {
  return typeof model === "function";
}

async function readParams(request: Request): Promise<CreateMessageRequest["params"]> {
  const body = await readJsonBody(request, LONGEST);
  const checked = validateRequest("view", "sampling/createMessage", body);
  if (checked.ok) return checked.value as CreateMessageRequest["params"];
  throw new RequestRejection(400, describeMismatch(checked));
}

function toMessage({
  role,
  content,
}: CreateMessageRequest["params"]["messages"][number]): ModelMessage {
  const blocks = Array.isArray(content) ? content : [content];
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { role, content: text };
}
