// Questions that came in one message are a round. What is answered together leaves together; the message is
// replied to with the last answers of its round, so that whoever asked knows by it that all were answered,
// and by the bus that nobody is there to answer any more.

import { Outbox, type Posted } from "./bundle.ts";
import type { Envelopes, Head } from "./envelope.ts";

/** The questions of one message. */
export interface Round {
  /** Unanswered ones. */
  left: number;
  reply(sealed: Uint8Array): void;
  fail(error: unknown): void;
}

interface Answer extends Posted {
  readonly round: Round;
}

const NOTHING = new Uint8Array();

/** The answers of one process. */
export class AnswerRounds {
  readonly #outbox: Outbox<Answer>;

  /** `publish` is for answers that others of their round have to follow. */
  constructor(envelopes: Envelopes, publish: (to: string, sealed: Uint8Array) => void) {
    this.#outbox = new Outbox(envelopes, (sealed, answers) => {
      let rest: Uint8Array | undefined = sealed;
      for (const { round } of answers) {
        round.left -= 1;
        if (round.left > 0) continue;
        round.reply(rest ?? NOTHING);
        rest = undefined;
      }
      if (rest) publish((answers[0] as Answer).head.to, rest);
    });
  }

  answer(from: string, head: Head, body: string, round: Round): void {
    this.#outbox.post(from, {
      ...{ head, body, round },
      leave: () => true,
      fail: (error) => round.fail(error),
    });
  }
}
