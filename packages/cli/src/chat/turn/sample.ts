import type { ChatModel } from "../model/chat-model.ts";
import { modelErrorText } from "../model/model-error.ts";

/** Answers `POST /api/sample`: a view uses the model, and the user has agreed in the page. */
export async function answerSample(
  sample: (request: Request) => Promise<Response>,
  request: Request,
  model: ChatModel,
): Promise<Response> {
  try {
    return await sample(request);
  } catch (error) {
    return Response.json({ error: modelErrorText(error, model.secrets) }, { status: 502 });
  }
}
