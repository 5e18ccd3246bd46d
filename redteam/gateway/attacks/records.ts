import { readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { excerpt, type GatewayAttack, unless, unlessTried } from "../attack.ts";

const SECRET = "correct-horse-battery-staple";
const HEADER = 16;
const MAGIC = 0x4d_52_46_56;

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
      const call = (given: object) => mallory.callAsView("js", ticket, "log-in", given);
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
        ...unlessTried(output.includes("log-in"), "no record names the tool"),
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
      const folder = join(gateway.folder, "data", "log", "audit");
      const last = readdirSync(folder).sort().at(-1);
      const ends = frameEnds(readFileSync(join(folder, `${last}`)));
      const cut = ends[Math.floor(ends.length / 2)] ?? 0;
      truncateSync(join(folder, `${last}`), cut);
      rmSync(join(gateway.folder, "data", "kv", "audit-heads.journal"), { force: true });
      const after = await gateway.command("audit", "verify");
      return [
        ...unlessTried(whole.code === 0, `the whole log: ${excerpt(whole.output)}`),
        ...unlessTried(ends.length > 4, `the log has ${ends.length} frames`),
        ...unless(after.code !== 0, `verify finds nothing: ${excerpt(after.output)}`),
      ];
    },
  },
];

/** Where each frame of a segment ends. */
function frameEnds(segment: Buffer): number[] {
  const ends: number[] = [];
  let at = HEADER;
  while (at + HEADER <= segment.length && segment.readUInt32LE(at) === MAGIC) {
    at += HEADER + segment.readUInt32LE(at + 4);
    ends.push(at);
  }
  return ends;
}
