// The parser is JavaScript, because `scripts/parity.mjs` runs it without a build.

/** Declaration files by path, without comments. */
export type Declarations = ReadonlyMap<string, string>;
export function readDeclarations(...folders: string[]): Declarations;
export function membersOf(files: Declarations, name: string): Map<string, string>;
export function membersOfType(files: Declarations, type: string): Map<string, string>;
export function exportsOf(files: Declarations, entry: string): Map<string, boolean>;
