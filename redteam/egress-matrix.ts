import type { Channel } from "./channels/channel.ts";
import { CHANNELS } from "./channels/channel-table.ts";
import type { Attempt } from "./egress.ts";
import type { Evidence } from "./lab/evidence-log.ts";
import type { StageName } from "./stage/deployment.ts";

/** `L` bytes arrived, `d` a DNS query did, `.` nothing, `K` nothing and the view was stopped, `n` not run, `!` the view did not start. */
export type Code = "L" | "d" | "." | "K" | "n" | "!";

/** Of two attempts the more conclusive one counts; a leak wins. */
const RANK: readonly Code[] = ["L", "d", "K", ".", "n", "!"];

/** Each column, what its heading is, and the control that proves its channels can fire. */
export const COLUMNS: readonly { stage: StageName; heading: string; control?: StageName }[] = [
  { stage: "control-http", heading: "c2" },
  { stage: "tier-2", heading: "T2", control: "control-http" },
  { stage: "tier-3", heading: "T3", control: "control-http" },
  { stage: "control-https", heading: "c1" },
  { stage: "tier-1", heading: "T1", control: "control-https" },
];

export class EgressMatrix {
  readonly channels: readonly Channel[];
  readonly stages: readonly StageName[];
  readonly #codes = new Map<string, Code>();
  readonly #seesDns: boolean;

  constructor(
    attempts: readonly Attempt[],
    evidenceOf: (cell: string) => readonly Evidence[],
    seesDns: boolean,
  ) {
    this.#seesDns = seesDns;
    this.channels = CHANNELS.filter((known) => attempts.some(({ channel }) => channel === known));
    this.stages = COLUMNS.map(({ stage }) => stage).filter((stage) =>
      attempts.some((one) => one.stage === stage),
    );
    for (const one of attempts) {
      const code = judge(one, evidenceOf(one.cell), seesDns);
      const key = `${one.stage} ${one.channel.id}`;
      const known = this.#codes.get(key);
      if (!known || RANK.indexOf(code) <= RANK.indexOf(known)) this.#codes.set(key, code);
    }
  }

  code(stage: StageName, channel: Channel): Code {
    return this.#codes.get(`${stage} ${channel.id}`) ?? "n";
  }

  /** Channels that got out of this stage. */
  leaks(stage: StageName): Channel[] {
    return this.channels.filter((channel) => this.code(stage, channel) === "L");
  }

  lookups(stage: StageName): Channel[] {
    return this.channels.filter((channel) => this.code(stage, channel) === "d");
  }

  notStarted(stage: StageName): Channel[] {
    return this.channels.filter((channel) => this.code(stage, channel) === "!");
  }

  /** Channels that got out of no control of these stages, or not of each that was run. */
  silent(): Channel[] {
    return this.channels.filter((channel) => !this.fired(this.stages).includes(channel));
  }

  /** Channels that are proven able to get out, for the controls of the given stages. */
  fired(stages: readonly StageName[]): Channel[] {
    const controls = COLUMNS.filter(({ stage }) => stages.includes(stage)).flatMap(
      ({ control }) => control ?? [],
    );
    return this.channels.filter((channel) =>
      controls.every((control) => ["L", "d"].includes(this.code(control, channel))),
    );
  }

  table(): string {
    const shown = COLUMNS.filter(({ stage }) => this.stages.includes(stage));
    const line = (name: string, cells: readonly string[]) =>
      `${name.padEnd(24)}${cells.map((cell) => cell.padEnd(4)).join("")}`.trimEnd();
    const count =
      (code: Code) =>
      ({ stage }: { stage: StageName }) =>
        String(this.channels.filter((channel) => this.code(stage, channel) === code).length);
    return [
      line(
        "channel",
        shown.map(({ heading }) => heading),
      ),
      ...this.channels.map((channel) =>
        line(
          channel.id,
          shown.map(({ stage }) => this.code(stage, channel)),
        ),
      ),
      line("L total", shown.map(count("L"))),
      line("d total", this.#seesDns ? shown.map(count("d")) : shown.map(() => "n")),
      line("K total", shown.map(count("K"))),
    ].join("\n");
  }
}

function judge(attempt: Attempt, evidence: readonly Evidence[], seesDns: boolean): Code {
  if (evidence.some(({ kind }) => kind !== "dns")) return "L";
  if (evidence.length > 0) return "d";
  // A look-up is all this channel does; where look-ups cannot be seen, silence means nothing.
  if (!seesDns && attempt.channel.onlyLooksUp) return "n";
  if (!attempt.started) return "!";
  return attempt.killed ? "K" : ".";
}
