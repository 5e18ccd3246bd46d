/** Makes something of a promise, once for all who come with the same: calls of one turn wait for one write. */
export function sharedOutcome<Outcome>(
  make: (hold: Promise<void>) => Promise<Outcome>,
): (hold: Promise<void>) => Promise<Outcome> {
  let last: Promise<void> | undefined;
  let made: Promise<Outcome>;
  return (hold) => {
    if (hold !== last) {
      last = hold;
      made = make(hold);
    }
    return made;
  };
}
