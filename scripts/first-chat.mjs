// `vitrine chat` as published, with the server of a project that `vitrine create` wrote: one command to a
// View in a conversation.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const SERVERS = { mcpServers: { tasks: { command: "node", args: ["server/main.ts"] } } };
const SCRIPT = {
  turns: [
    { when: { user: "tasks" }, reply: [{ call: "tasks__show-tasks", arguments: {} }] },
    { when: { after: "tasks__show-tasks" }, reply: [{ text: "Here they are." }] },
  ],
};

/** Chats until the View is shown. Returns the commands and the seconds. */
export async function seeChat(folder, { vitrine, env, browser, untilShown, text }) {
  await writeFile(join(folder, "mcp.json"), JSON.stringify(SERVERS));
  await writeFile(join(folder, "model.json"), JSON.stringify(SCRIPT));
  const began = performance.now();
  const args = ["chat", "--servers", "mcp.json", "--model", "script:model.json"];
  const chat = spawn(vitrine, [...args, "--data", "data", "--port", "0"], {
    cwd: folder,
    env,
    detached: true,
  });
  let said = "";
  const url = new Promise((resolve, reject) => {
    for (const stream of [chat.stdout, chat.stderr]) {
      stream.on("data", (chunk) => {
        said += stripVTControlCharacters(String(chunk));
        const [found] = /http:\/\/vitrine\.localhost:\d+\/#\S+/.exec(said) ?? [];
        if (found) resolve(found);
      });
    }
    chat.on("close", () => reject(new Error(`vitrine chat ended, in ${folder}:\n${said}`)));
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  try {
    await page.goto(await url);
    await page.getByTestId("composer").fill("Show my tasks");
    await page.getByTestId("send").click();
    await untilShown(page, text);
    return { commands: 1, seconds: (performance.now() - began) / 1_000 };
  } catch (error) {
    throw new Error(`chat: ${error.message}\nvitrine chat said:\n${said}`);
  } finally {
    await page.close();
    const closed = once(chat, "close");
    process.kill(-chat.pid, "SIGINT");
    const patience = setTimeout(() => process.kill(-chat.pid, "SIGKILL"), 10_000);
    await closed.finally(() => clearTimeout(patience));
  }
}
