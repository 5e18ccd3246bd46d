// A batch is one message, so a record's place is made of the message's sequence in its stream and the
// record's number in the batch. The first record of a partition is at 1: a log that begins later was trimmed.

/** Records a batch may have, and one more. */
const STEP = 2 ** 16;

/** The place of a record. */
export const placeOf = (sequence: number, index: number): number =>
  (sequence - 1) * STEP + index + 1;

/** The message that a place is in. */
export const sequenceOf = (place: number): number => Math.floor(Math.max(0, place - 1) / STEP) + 1;
