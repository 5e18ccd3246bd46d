// A page that shows a view with the AI SDK's own renderer, in our sandbox.

import { experimental_MCPAppRenderer as Renderer } from "@ai-sdk/react";
import { createElement } from "react";
import { createRoot } from "react-dom/client";

type Props = Parameters<typeof Renderer>[0];

declare global {
  interface Window {
    /** Shows a view; a second call changes its part. */
    showPart(
      options: Pick<Props, "part" | "resource"> & { sandbox: string; tools: string[] },
    ): void;
    /** What the view asked of the page. */
    asked: { method: string; params: unknown }[];
  }
}

const root = createRoot(document.body.appendChild(document.createElement("main")));
window.asked = [];

const note =
  (method: string, answer: object = {}) =>
  (params: unknown): object => {
    window.asked.push({ method, params });
    return answer;
  };
const callTool = note("tools/call", {
  content: [{ type: "text", text: "Booked 3 days in Graz." }],
  structuredContent: { price: 300 },
});
const handlers: NonNullable<Props["handlers"]> = {
  callTool,
  openLink: note("ui/open-link"),
  sendMessage: note("ui/message"),
  updateModelContext: note("ui/update-model-context"),
};

window.showPart = ({ part, resource, sandbox, tools }) => {
  root.render(
    createElement(Renderer, {
      part,
      ...(resource && { resource }),
      sandbox: { url: sandbox },
      handlers: { ...handlers, allowedTools: tools },
    }),
  );
};
