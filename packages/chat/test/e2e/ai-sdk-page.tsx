// The page of examples/chat-ai-sdk without Next.js.

import { createRoot } from "react-dom/client";
import { Chat } from "../../../../examples/chat-ai-sdk/app/chat.tsx";

const id = new URLSearchParams(location.search).get("id") ?? "first";
createRoot(document.querySelector("#root") as HTMLElement).render(<Chat id={id} />);
