/** A view that breaks at run time, and what its author has to read. */
export interface BrokenView {
  name: string;
  /** By path below the view's folder. */
  files: Record<string, string>;
  /** The file, and the text on the line that breaks. */
  file: string;
  at: string;
  cause: RegExp;
  /** The button to press in the view. */
  press?: string;
}

/** The line of the fault, from 1. */
export function lineOf({ files, file, at }: BrokenView): number {
  const line = files[file]?.split("\n").findIndex((text) => text.includes(at)) ?? -1;
  if (line < 0) throw new Error(`${file} has no line with ${at}.`);
  return line + 1;
}
