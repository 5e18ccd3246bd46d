import type { SharedEngine } from "@vitrine/gateway/engine";
import { describe, expect, test } from "vitest";
import {
  bytesOf,
  codeOf,
  fresh,
  type OpenEngine,
  opener,
  textOf,
  until,
  type WithEngine,
} from "./engine-trial.ts";

const echo = async (body: Uint8Array): Promise<Uint8Array> => body;

/** What the bus of every engine must do that several processes share. */
export function testBus(
  name: string,
  open: () => Promise<OpenEngine<SharedEngine>> | OpenEngine<SharedEngine>,
): void {
  describe(`the bus of ${name} keeps the engine contract`, { timeout: 30_000 }, () =>
    tryBus(opener(open)),
  );
}

function tryBus(withEngine: WithEngine<SharedEngine>): void {
  test(
    "a request is answered by the process that serves the address",
    withEngine(async ({ engine, peer }) => {
      const address = fresh("gw.n");
      const stop = peer.bus.serve(address, async (body) => bytesOf(`${textOf(body)}!`));
      await until(async () => (await codeOf(ask(address))) === "it succeeded");
      expect(textOf(await ask(address))).toBe("hello!");
      stop();
      async function ask(to: string): Promise<Uint8Array> {
        return engine.bus.request(to, bytesOf("hello"), { deadline: 2_000 });
      }
    }),
  );

  test(
    "a request to an address without a server fails at once",
    withEngine(async ({ engine, peer }) => {
      const address = fresh("gw.n");
      const ask = (): Promise<string> =>
        codeOf(engine.bus.request(address, bytesOf(""), { deadline: 20_000 }));
      const started = Date.now();
      expect(await ask()).toBe("no-responders");
      peer.bus.serve(address, echo)();
      await until(async () => (await ask()) === "no-responders");
      expect(Date.now() - started).toBeLessThan(5_000);
    }),
  );

  test(
    "of several who serve an address, one gets each request",
    withEngine(async ({ engine, peer }) => {
      const address = fresh("gw.n");
      let calls = 0;
      const count = async (body: Uint8Array): Promise<Uint8Array> => {
        calls += 1;
        return body;
      };
      const stops = [engine, peer, peer].map(({ bus }) => bus.serve(address, count));
      const ask = (): Promise<Uint8Array> =>
        engine.bus.request(address, bytesOf("x"), { deadline: 5_000 });
      await until(async () => (await codeOf(ask())) === "it succeeded");
      calls = 0;
      await Promise.all(Array.from({ length: 50 }, ask));
      await settle();
      expect(calls).toBe(50);
      for (const stop of stops) stop();
    }),
  );

  test(
    "an answer that does not come in time is a timeout, a server that fails is unavailable",
    withEngine(async ({ engine, peer }) => {
      const [slow, broken] = [fresh("gw.slow"), fresh("gw.broken")];
      const stops = [
        peer.bus.serve(slow, () => new Promise(() => {})),
        peer.bus.serve(broken, async () => {
          throw new Error("secret of the server");
        }),
      ];
      const ask = (address: string): Promise<Uint8Array> =>
        engine.bus.request(address, bytesOf("x"), { deadline: 300 });
      await until(async () => (await codeOf(ask(slow))) === "timeout");
      await until(async () => (await codeOf(ask(broken))) === "unavailable");
      const error = await ask(broken).catch((thrown: Error) => thrown);
      expect(String(error)).not.toContain("secret of the server");
      for (const stop of stops) stop();
    }),
  );

  test(
    "what is published reaches every subscriber in order, those in this process too",
    withEngine(async ({ engine, peer }) => {
      const subject = fresh("gw.ev");
      const received: string[][] = [[], []];
      const stops = [engine, peer].map(({ bus }, who) =>
        bus.subscribe(subject, (body) => received[who]?.push(textOf(body) ?? "")),
      );
      await until(() => {
        engine.bus.publish(subject, bytesOf("warm"));
        return settle().then(() => received.every((texts) => texts.length > 0));
      });
      for (let n = 0; n < 100; n++) engine.bus.publish(subject, bytesOf(String(n)));
      await until(() => received.every((texts) => texts.at(-1) === "99"));
      const numbers = Array.from({ length: 100 }, (_, n) => String(n));
      for (const texts of received)
        expect(texts.filter((text) => text !== "warm")).toEqual(numbers);
      for (const stop of stops) stop();
    }),
  );

  test(
    "a star stands for one token and an arrow for all that follow",
    withEngine(async ({ engine, peer }) => {
      const root = fresh("gw");
      const received: Record<string, string[]> = { star: [], arrow: [], exact: [] };
      const stops = [
        peer.bus.subscribe(`${root}.*.changed`, (_, subject) => received.star?.push(subject)),
        peer.bus.subscribe(`${root}.>`, (_, subject) => received.arrow?.push(subject)),
        peer.bus.subscribe(`${root}.a.changed`, (_, subject) => received.exact?.push(subject)),
      ];
      const tell = (...subjects: string[]): void => {
        for (const subject of subjects) engine.bus.publish(`${root}.${subject}`, bytesOf(""));
      };
      await until(() => {
        tell("a.changed");
        return settle().then(() => Object.values(received).every(({ length }) => length > 0));
      });
      await settle();
      for (const list of Object.values(received)) list.length = 0;
      engine.bus.publish(root, bytesOf(""));
      tell("a.changed", "b.changed", "a", "a.b.changed", "a.changed.c", "end");
      await until(() => received.arrow?.at(-1) === `${root}.end`);
      const under = (...names: string[]): string[] => names.map((name) => `${root}.${name}`);
      expect(received).toEqual({
        star: under("a.changed", "b.changed"),
        arrow: under("a.changed", "b.changed", "a", "a.b.changed", "a.changed.c", "end"),
        exact: under("a.changed"),
      });
      for (const stop of stops) stop();
    }),
  );

  test(
    "nobody is called before publish returns, nor after he has gone, and bytes are not shared",
    withEngine(async ({ engine }) => {
      const subject = fresh("gw.ev");
      const received: string[] = [];
      const stop = engine.bus.subscribe(subject, (body) => {
        received.push(textOf(body) ?? "");
        body.fill(0);
      });
      const other = engine.bus.subscribe(subject, (body) => received.push(textOf(body) ?? ""));
      const body = Buffer.from("as sent");
      engine.bus.publish(subject, body);
      body.fill(120);
      expect(received).toEqual([]);
      await until(() => received.length === 2);
      expect(received).toEqual(["as sent", "as sent"]);
      stop();
      other();
      engine.bus.publish(subject, bytesOf("late"));
      await settle();
      expect(received).toHaveLength(2);
    }),
  );

  test(
    "a subscriber that throws takes nothing from the others",
    withEngine(async ({ engine }) => {
      const subject = fresh("gw.ev");
      let received = 0;
      const stops = [
        engine.bus.subscribe(subject, () => {
          throw new Error("not my day");
        }),
        engine.bus.subscribe(subject, () => received++),
      ];
      engine.bus.publish(subject, bytesOf(""));
      engine.bus.publish(subject, bytesOf(""));
      await until(() => received === 2);
      for (const stop of stops) stop();
    }),
  );

  test(
    "a pending request fails when the engine closes",
    withEngine(async ({ engine }) => {
      const address = fresh("gw.n");
      engine.bus.serve(address, () => new Promise(() => {}));
      const asking = codeOf(engine.bus.request(address, bytesOf(""), { deadline: 60_000 }));
      await settle();
      await engine.close();
      expect(await asking).toBe("closed");
    }),
  );

  test(
    "after the engine was closed, every call fails with closed",
    withEngine(async ({ engine }) => {
      await engine.close();
      const { bus } = engine;
      const none = bytesOf("");
      const after: (() => unknown)[] = [
        () => bus.request("a", none, { deadline: 100 }),
        () => bus.serve("a", async (body) => body),
        () => bus.publish("a", none),
        () => bus.subscribe("a", () => {}),
      ];
      for (const call of after) expect([String(call), await codeOf(call)]).toContain("closed");
    }),
  );

  test(
    "a message that is too large is refused, and so is a name no broker takes",
    withEngine(async ({ engine }) => {
      const large = new Uint8Array(engine.caps.maxBytes + 1);
      const { bus } = engine;
      expect(await codeOf(() => bus.publish("a", large))).toBe("too-large");
      expect(await codeOf(bus.request("a", large, { deadline: 100 }))).toBe("too-large");
      for (const name of ["", "a b", "a..b", ".a", "a.", "a.*", ">", "a\n", "ä", "a".repeat(257)]) {
        expect([name, await codeOf(() => bus.publish(name, bytesOf("")))]).toContain("invalid");
      }
      for (const pattern of ["", "a.>.b", "a*", "**", ">a", "a..>"]) {
        const subscribing = codeOf(() => bus.subscribe(pattern, () => {}));
        expect([pattern, await subscribing]).toContain("invalid");
      }
    }),
  );
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30));
}
