/** A screenshot of one state of a view. */
export interface Picture {
  tool: string;
  /** The name of its run, or `waiting` for the state before the result. */
  state: string;
  /** The situation, for people. */
  title: string;
  /** Width of the frame in pixels. */
  width: number;
  png: Buffer;
}

/** Keeps the last picture of each state: a run may be repeated. */
export function keepPictures(): { add(picture: Picture): void; all(): Picture[] } {
  const kept = new Map<string, Picture>();
  return {
    add: (picture) => {
      kept.set(JSON.stringify([picture.tool, picture.state]), picture);
    },
    all: () => [...kept.values()],
  };
}
