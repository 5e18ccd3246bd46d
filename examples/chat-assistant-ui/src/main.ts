// `node src/main.ts` starts the chat; see README.md.

import { runChatExample } from "@vitrine/example-chat-servers/site";
import { createRoutes } from "./routes.ts";

await runChatExample({ folder: new URL("../", import.meta.url), routes: createRoutes });
