import { openHost } from "../stage/host-scene.ts";
import { hostedView } from "../stage/host-view.ts";
import { type Check, unless, unlessTried } from "./check.ts";

/** Longer than the browser counts a click. */
const DELAY = 6000;

/** For how long a click counts. */
export const HOST_GESTURE_CHECKS: readonly Check[] = [
  {
    id: "host-message-after-call",
    title:
      "a click that started tool calls allows one message after them, and none without a click",
    entries: [115],
    stages: ["tier-2"],
    timing: true,
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        const send = (text: string) =>
          ask("ui/message", { role: "user", content: [{ type: "text", text }] });
        const callAndSend = async (text: string) => {
          await ask("tools/call", { name: "work", arguments: {} });
          for (let at = 0; at < 3; at += 1) await send(`${text} ${at}`);
          // The time after one call must not begin again with another.
          await ask("tools/call", { name: "look", arguments: {} });
          await send(`${text} again`);
        };
        await callAndSend("on its own");
        say("ready");
        addEventListener("click", async () => {
          await Promise.all(["a", "b", "c"].map((text) => callAndSend(text)));
          say("done");
        });
      });
      const entry = { annotations: { readOnlyHint: true } };
      const work = { name: "work", entry, delay: DELAY };
      const tools = [{ name: "show", html }, work, { name: "look", entry }];
      const servers = [{ name: "hostile", tools }];
      const host = await openHost(scene, servers, { takes: ["message"] });
      await host.show({ key: "view", server: "hostile", tool: "show" });
      await host.untilSaid(1, "view", DELAY + 10_000);
      const before = await host.record();
      await host.click();
      await host.untilSaid(2, "view", DELAY + 10_000);
      const { messages, calls } = await host.record();
      return [
        ...unlessTried(calls.length >= 4, "no call was made"),
        ...unless(before.messages.length === 0, "a message was sent without a click"),
        ...unless(before.asked.length === 0, "the user was asked without a click"),
        ...unlessTried(messages.length > 0, "no message was sent after a call either"),
        ...unless(messages.length <= 1, `${messages.length} messages for one click`),
      ];
    },
  },
];
