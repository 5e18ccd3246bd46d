/** A location for people. All count from 1. */
export interface SourcePlace {
  /** A path from the current folder, or the address of the page if it has no source map. */
  file: string;
  line: number;
  column: number;
  /** The lines around it, with a marker. */
  frame: string;
}

/** A location in the page. */
export interface PagePlace {
  line: number;
  column: number;
}
