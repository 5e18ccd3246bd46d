import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../consent/random.ts";
import { type HostScene, openHost } from "../stage/host-scene.ts";
import { hostedView } from "../stage/host-view.ts";
import { within } from "../stage/page-steps.ts";
import { type Check, unless, unlessTried } from "./check.ts";

const STEPS = 24;
const KEYS = ["first", "second", "third"];
/** Ways to say something to the model, and ways for a view to be stopped. */
const WORDS = ["context", "message", "sampling", "all"];
const ENDS = ["leave", "malformed"];
/** What the host's page does with a view. */
const TURNS = ["reload", "suspend", "resume", "close"] as const;
type Turn = (typeof TURNS)[number];

/** What happened in the host's page, in order. */
interface Entry {
  readonly what: "told" | "stopped" | "snapshot" | "message" | "sampling";
  readonly view: string;
  readonly text: string;
}

declare global {
  interface Window {
    modelLog?: Entry[];
  }
}

const TALKER = hostedView(async () => {
  const hidden = ["\u00ad", "\u200b", "\u200d", "\u2062", "\u3164", "\ufe0f", "\u{e0041}"];
  const dress = (text: string) => hidden.join("") + text + hidden.toReversed().join("A");
  const block = (text: string) => ({ type: "text", text: dress(text) });
  const speak = (what: string, word: string): void => {
    if (what === "context" || what === "all") {
      const structuredContent = { [dress("key")]: dress(word) };
      void ask("ui/update-model-context", { content: [block(word)], structuredContent });
    }
    if (what === "message" || what === "all") {
      void ask("ui/message", { role: "user", content: [block(word)] });
    }
    if (what === "sampling" || what === "all") {
      const messages = [{ role: "user", content: block(word) }];
      void ask("sampling/createMessage", { messages, maxTokens: 5, systemPrompt: dress(word) });
    }
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data.method !== "redteam/now") return;
    const { what, word } = data.params;
    speak(what, word);
    if (what !== "leave" && what !== "malformed") return;
    // Something is under way while it is stopped.
    speak("all", word);
    if (what === "leave") location.href = "https://evil.example/";
    setInterval(() => {
      for (let at = 0; at < 50; at += 1) parent.postMessage({ jsonrpc: "1.0", at }, "*");
      speak("all", word);
    }, 10);
  });
  await greet();
});

/** The model context of views that open and close in any order. */
export const HOST_CONTEXT_CHECKS: readonly Check[] = [
  {
    id: "host-context-sequences",
    title:
      "S38, S15: in random sequences nothing of a stopped view and nothing invisible reaches the model",
    entries: [219],
    stages: ["tier-2"],
    async run(scene) {
      const seed = Date.now() % 1_000_000;
      const servers = KEYS.map((name) => ({ name, tools: [{ name: "show", html: TALKER }] }));
      const options = { takes: ["message", "sampling"], callsPerMinute: 10_000 } as const;
      const host = await openHost(scene, servers, { ...options, width: 300 });
      await host.page.evaluate(recordModel);
      await takeSteps(host, createRandom(seed));
      await sleep(500);
      const log = await host.page.evaluate(() => window.modelLog ?? []);
      const count = (what: Entry["what"]) => log.filter((entry) => entry.what === what).length;
      const tried = [count("stopped") > 1, count("message") > 0, count("sampling") > 3];
      return [
        ...unlessTried(
          tried.every(Boolean) &&
            log.some(({ what, text }) => what === "snapshot" && text !== "[]"),
          `too little happened with seed ${seed}`,
        ),
        ...judge(log).map((problem) => `seed ${seed}: ${problem}`),
      ];
    },
  },
];

/** Sent to the page: keeps all that reaches the model, and when views are stopped, in one order. */
function recordModel(): void {
  const log: Entry[] = [];
  window.modelLog = log;
  const { host, record } = window.site;
  const { modelContext } = host;
  const note = (what: Entry["what"], view: string, value: unknown): void => {
    log.push({ what, view, text: JSON.stringify(value) });
  };
  const look = (): void => note("snapshot", "", modelContext.snapshot());
  modelContext.onChange(look);
  host.onDiagnostic(({ level, code, view = "" }) => {
    if (level !== "error") return;
    // The view is being stopped in this very step, unless it was only slow.
    queueMicrotask(() => {
      if (host.views.get(view)?.bridge) return;
      note("stopped", view, code);
      look();
    });
  });
  const keep = (list: unknown[], what: "message" | "sampling"): void => {
    list.push = (value) => {
      note(what, "", value);
      look();
      return 0;
    };
  };
  keep(record.messages, "message");
  keep(record.samplings, "sampling");
}

async function takeSteps(host: HostScene, random: Random): Promise<void> {
  for (let step = 0; step < STEPS; step += 1) {
    const key = random.pick(KEYS);
    const isTurn = random.below(4) === 0;
    if (isTurn) await turn(host, key, random.pick(TURNS));
    else {
      const what = random.pick(random.below(5) === 0 ? ENDS : WORDS);
      await command(host, key, what, `<word ${step}>`);
    }
    await sleep(random.below(120));
  }
}

/** Mounts the view if it isn't there, and lets it send a unique word. */
async function command(host: HostScene, key: string, what: string, word: string): Promise<void> {
  const isThere = await host.page.evaluate(async (name) => {
    const { host, mount } = window.site;
    const view = host.views.get(name);
    if (view?.bridge?.initialized) return true;
    if (view?.stage === "shown" || !view) {
      await host.forget(name);
      mount(name, name, "show");
    } else await view.reload();
    return false;
  }, key);
  if (!isThere) await host.reach(key, 5000).catch(() => {});
  // A message needs a press of the user in its view.
  if (what === "message") await pressIn(host, key);
  await host.page.evaluate(
    ([name, what, word]) => {
      window.modelLog?.push({ what: "told", view: name, text: word });
      try {
        window.site.host.views.get(name)?.bridge?.peer.notify("redteam/now", { what, word });
      } catch {
        // It was stopped a moment ago.
      }
    },
    [key, what, word] as const,
  );
}

async function pressIn(host: HostScene, key: string): Promise<void> {
  await host.settle();
  const box = await host.box("iframe", key).catch(() => undefined);
  if (!box) return;
  const press = host.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await within(press, 1000);
}

async function turn(host: HostScene, key: string, what: Turn): Promise<void> {
  await host.page.evaluate(([name, what]) => void window.site.host.views.get(name)?.[what]?.(), [
    key,
    what,
  ] as const);
}

/** A word of a view that was stopped since, or an invisible character, is a problem. */
export function judge(log: readonly Entry[]): string[] {
  const words = new Map<string, string[]>();
  const dead = new Set<string>();
  const problems: string[] = [];
  for (const { what, view, text } of log) {
    if (what === "told") words.set(view, [...(words.get(view) ?? []), text]);
    else if (what === "stopped") for (const word of words.get(view) ?? []) dead.add(word);
    else {
      const found = [...dead].filter((word) => text.includes(word));
      problems.push(...unless(found.length === 0, `a ${what} has ${found} of a stopped view`));
      problems.push(...unless(!/\p{DI}/u.test(text), `a ${what} has invisible characters`));
    }
  }
  return problems;
}
