import { excerpt, type GatewayAttack, unless, unlessTried } from "../attack.ts";
import { META } from "../stage/client.ts";
import type { JournalEntry } from "../stage/stage.ts";

const META_TEXT = JSON.stringify(META);
const EVIL = "unchecked";

/** Attacks that make the gateway check one message and a server read another. */
export const FRAME_ATTACKS: readonly GatewayAttack[] = [
  {
    id: "escaped-arguments",
    entries: [153],
    finding: "S1",
    title: "arguments under an escaped key don't pass the schema unseen",
    run: async (stage) => {
      const gateway = await stage.shared();
      const mallory = gateway.client("bravo", "mallory");
      const send = (marker: string, key: string, tool = "open") =>
        mallory.send(
          "py",
          `{"${marker}":0,"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"${marker}":0,"name":"${tool}","_meta":${META_TEXT},"${key}":{"evil":"${EVIL}"}}}`,
          "tools/call",
          tool,
        );
      const control = await send("za", "arguments");
      // V8 of Node 24 remembers this key for objects of the same shape and reads `argument\u0073` as it.
      await send("zb", "argument\\\\", "no-such-tool");
      const attack = await send("zb", "argument\\u0073");
      return [
        ...unlessTried(isRefused(control.text), `the schema let ${excerpt(control.text)} through`),
        ...unless(!hasEvil(gateway.journal("py")), "the server ran arguments that nobody checked"),
        ...unless(!attack.text.includes(EVIL), `the answer was ${excerpt(attack.text)}`),
      ];
    },
  },
  {
    id: "escaped-notification",
    entries: [153],
    finding: "S1",
    title: "a notification with escaped members doesn't run a tool",
    run: async (stage) => {
      const gateway = await stage.shared();
      const mallory = gateway.client("bravo", "mallory");
      const head = `"zc":0,"jsonrpc":"2.0","method":"`;
      const poison = `{${head}ui/refused","params":{},"metho\\\\":1,"i\\\\":1,"param\\\\":1}`;
      await mallory.send("py", poison, "ui/refused");
      for (let id = 1; id <= 20; id++) {
        const text = `{${head}notifications/x","params":{},"metho\\u0064":"tools/call","i\\u0064":${id},"param\\u0073":{"name":"hidden","arguments":{"note":"${EVIL}"}}}`;
        await mallory.send("py", text, "notifications/x");
      }
      return unless(!ranHidden(gateway.journal("py")), "the server ran a tool of apps alone");
    },
  },
  {
    id: "foreign-answer-escaped",
    entries: [153],
    finding: "S1",
    title: "another tenant can't answer a pending call with escaped members",
    run: (stage) =>
      answerOfAnother(stage, "py", (id) => {
        const call = `{"name":"open","arguments":{"note":"${EVIL}"}}`;
        return `{"zc":0,"jsonrpc":"2.0","method":"notifications/x","params":{},"metho\\u0064":"tools/call","i\\u0064":${id},"param\\u0073":${call}}`;
      }),
  },
  {
    id: "foreign-answer-case",
    entries: [154],
    finding: "S2",
    title: "another tenant can't answer a pending call with members in other case",
    run: (stage) =>
      answerOfAnother(stage, "go", (id) => {
        const call = `{"name":"hidden","arguments":{"note":"${EVIL}"}}`;
        return `{"jsonrpc":"2.0","method":"notifications/x","params":{},"Method":"tools/call","Id":${id},"Params":${call}}`;
      }),
  },
  {
    id: "notification-flood",
    entries: [154],
    finding: "S2",
    title: "notifications meet the rate limit of requests",
    run: async (stage) => {
      // One a second, so that the time the machine needs for a notification doesn't matter.
      const gateway = await stage.start({
        config: { limits: { userPerMinute: 60, viewPerMinute: 60 } },
      });
      const mallory = gateway.client("bravo", "mallory");
      const text = `{"jsonrpc":"2.0","method":"notifications/x","params":{}}`;
      const statuses: number[] = [];
      for (let round = 0; round < 6; round++) {
        const answers = Array.from({ length: 20 }, () =>
          mallory.send("go", text, "notifications/x"),
        );
        statuses.push(...(await Promise.all(answers)).map(({ status }) => status));
      }
      const accepted = statuses.filter((status) => status < 300).length;
      return unless(accepted <= 60, `${accepted} of ${statuses.length} notifications passed`);
    },
  },
  {
    id: "lengths-around-limits",
    entries: [155],
    finding: "S3",
    title: "a second name is found at every length of a message",
    run: async (stage) => {
      const gateway = await stage.shared();
      const mallory = gateway.client("bravo", "mallory");
      const tail = `,"Name":"hidden"}}`;
      const head = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open","_meta":${META_TEXT},"arguments":{"note":"`;
      for (const limit of [4096, 8192, 16_384, 32_768, 65_536]) {
        for (const surplus of [-1, 0, 1]) {
          const room = limit + surplus - head.length - tail.length - 2;
          // As many two-byte characters as the tail has bytes: cut by characters, the tail is lost.
          const note = "é".repeat(tail.length) + "x".repeat(room - tail.length);
          await mallory.send("go", `${head}${note}"}${tail}`, "tools/call", "open");
        }
      }
      return unless(!ranHidden(gateway.journal("go")), "the server ran a tool of apps alone");
    },
  },
  {
    id: "lone-case-variant",
    entries: [156],
    finding: "S4",
    title: 'a lone "Arguments" doesn\'t reach a server that ignores case',
    run: async (stage) => {
      const gateway = await stage.shared();
      const mallory = gateway.client("bravo", "mallory");
      for (const key of ["Arguments", "ARGUMENTS", "argument\\u017f", "Name"]) {
        const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open","_meta":${META_TEXT},"${key}":{"evil":"${EVIL}"}}}`;
        await mallory.send("go", text, "tools/call", "open");
      }
      return unless(
        !hasEvil(gateway.journal("go")),
        "the server ran arguments that nobody checked",
      );
    },
  },
  {
    id: "foreign-cancel",
    entries: [153, 154],
    finding: "S1",
    title: "another tenant can't cancel a call on a shared process",
    run: async (stage) => {
      const gateway = await stage.shared();
      const alice = gateway.client("acme", "alice");
      const mallory = gateway.client("bravo", "mallory");
      const before = gateway.journal("go").length;
      const pending = alice.call("go", "slow", { ms: 800 });
      for (let id = 0; id < 30; id++) {
        const params = { requestId: id };
        const method = "notifications/cancelled";
        await mallory.send("go", JSON.stringify({ jsonrpc: "2.0", method, params }), method);
      }
      const { text } = await pending;
      const entries = gateway.journal("go").slice(before);
      const forwarded = entries.some(({ method }) => method?.includes("cancelled"));
      return [
        ...unless(text.includes("ran slow"), `the call ended with ${excerpt(text)}`),
        ...unless(!forwarded, "the server received another tenant's cancellation"),
      ];
    },
  },
];

/** One tenant waits for an answer that never comes; another tenant tries to write it. */
async function answerOfAnother(
  stage: Parameters<GatewayAttack["run"]>[0],
  server: string,
  forgery: (id: number) => string,
): Promise<string[]> {
  const gateway = await stage.shared();
  const alice = gateway.client("acme", "alice");
  const mallory = gateway.client("bravo", "mallory");
  const pending = alice.call(server, "never").then(
    ({ text }) => text,
    () => "",
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (let id = 1; id <= 60; id++) await mallory.send(server, forgery(id), "notifications/x");
  const silence = new Promise<string>((resolve) => setTimeout(resolve, 500, ""));
  const answer = await Promise.race([pending, silence]);
  alice.close();
  return [
    ...unless(!answer.includes(EVIL), `acme's call was answered by bravo: ${excerpt(answer)}`),
    ...unless(!ranHidden(gateway.journal(server)), "the server ran a tool of apps alone"),
  ];
}

function isRefused(text: string): boolean {
  return text.includes('"error"');
}

function hasEvil(journal: readonly JournalEntry[]): boolean {
  return journal.some(({ params }) => JSON.stringify(params?.arguments ?? {}).includes('"evil"'));
}

function ranHidden(journal: readonly JournalEntry[]): boolean {
  return journal.some(({ method, params }) => method === "tools/call" && params?.name === "hidden");
}
