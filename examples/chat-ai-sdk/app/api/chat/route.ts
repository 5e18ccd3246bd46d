import { prepareTurn } from "@vitrine/chat/ai-sdk/server";
import { createUIMessageStreamResponse, isStepCount, streamText, toUIMessageStream } from "ai";
import { clients } from "../../../lib/apps";
import { model } from "../../../lib/model";

export async function POST(request: Request): Promise<Response> {
  const body = await request.json();
  const { tools, messages } = await prepareTurn({ clients: await clients(), body });
  const { stream } = streamText({
    model,
    tools,
    messages,
    stopWhen: isStepCount(8),
    abortSignal: request.signal,
  });
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }) });
}
