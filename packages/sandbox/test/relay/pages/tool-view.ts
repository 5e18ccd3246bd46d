// A View of the usual kind: it receives a tool call, calls another tool and logs the response. The
// tests bundle it with the official SDK of either generation and, unchanged, with ours.

import { App } from "ext-apps-v2";

const app = new App({ name: "tool-view", version: "1.0.0" }, {}, { autoResize: false });
let input: unknown;
app.ontoolinput = (params) => {
  input = params.arguments;
};
app.ontoolresult = async ({ content }) => {
  const answer = await app.callServerTool({ name: "report", arguments: { input, content } });
  await app.sendLog({ level: "info", logger: "view", data: { answer: answer.content } });
};
app.onteardown = async () => ({ goodbye: true });
app.connect();
