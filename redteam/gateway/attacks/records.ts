import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { excerpt, type GatewayAttack, unless, unlessTried } from "../attack.ts";

const SECRET = "correct-horse-battery-staple";

/** Attacks on the audit log: what it keeps, and what can be taken from it. */
export const RECORD_ATTACKS: readonly GatewayAttack[] = [
  {
    id: "secret-in-a-denial",
    entries: [160],
    finding: "S10",
    title: "a secret argument isn't in the record of a refused call",
    run: async (stage) => {
      const gateway = await stage.start({
        config: { limits: { viewPerMinute: 60, userPerMinute: 60 } },
      });
      const mallory = gateway.client("bravo", "mallory");
      const ticket = await mallory.ticket("js", "ui://hostile/view");
      const call = (given: object) => mallory.callAsView("js", ticket, "login", given);
      // Refused for its consent, for its arguments, and in the end perhaps for its rate.
      const consent = await call({ who: "a", word: SECRET });
      const schema = await call({ who: "a", word: SECRET, more: true });
      const wrongType = await call({ who: "a", word: [SECRET] });
      const later = await Promise.all(
        Array.from({ length: 100 }, () => call({ who: "a", word: SECRET })),
      );
      const refusals = [consent, schema, wrongType, ...later].map(({ text }) => text);
      const { output } = await gateway.command("audit", "export");
      return [
        ...unlessTried(
          ["consent-required", "arguments"].every((code) =>
            refusals.some((text) => text.includes(`"reason":"${code}"`)),
          ),
          `not every link refused: ${excerpt(`${refusals}`)}`,
        ),
        ...unlessTried(output.includes("login"), "no record names the tool"),
        ...unless(!output.includes(SECRET), "the secret is in the audit log"),
      ];
    },
  },
  {
    id: "cut-tail",
    entries: [161],
    finding: "S11",
    title: "`audit verify` notices a tail that was cut together with its heads",
    run: async (stage) => {
      const gateway = await stage.start();
      const alice = gateway.client("acme", "alice");
      for (let at = 0; at < 60; at++) await alice.call("go", "open");
      await gateway.process.stop("SIGTERM");
      const whole = await gateway.command("audit", "verify");
      const database = new DatabaseSync(join(gateway.folder, "data", "gateway.db"));
      const { steps } = database.prepare("SELECT max(place) AS steps FROM log").get() as {
        steps: number;
      };
      database.prepare("DELETE FROM log WHERE place > ?").run(Math.floor(steps / 2));
      database.exec("DELETE FROM kv WHERE bucket = 'audit-heads'");
      database.close();
      const after = await gateway.command("audit", "verify");
      return [
        ...unlessTried(whole.code === 0, `the whole log: ${excerpt(whole.output)}`),
        ...unlessTried(steps > 4, `the log has ${steps} steps`),
        ...unless(after.code !== 0, `verify finds nothing: ${excerpt(after.output)}`),
      ];
    },
  },
];
