import { createSampleHandler } from "@vitrine/chat/ai-sdk/server";
import { model } from "../../../lib/model";

export const POST = createSampleHandler({ model, authorize: () => ({ id: "demo" }) });
