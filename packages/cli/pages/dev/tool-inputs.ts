// The inputs that a user gave to tools. The last one of each tool stays in this tab; named ones stay in the
// browser, for the server that they were saved for.

/** An input that the user saved. */
export interface NamedInput {
  name: string;
  input: Record<string, unknown>;
}

type Stored = Pick<Storage, "getItem" | "setItem">;

const LAST = "vitrine-dev-input ";
const NAMED = "vitrine-dev-inputs";
// What a browser keeps is little and shared.
const MOST_TEXT = 100_000;
const MOST_NAMED = 200;
const MOST_NAME = 80;

/** The input that a tool was run with last, in this tab. */
export function lastInput(storage: Stored, tool: string): Record<string, unknown> | undefined {
  return objectOf(read(storage, LAST + tool));
}

/** Keeps it, unless it is too large. */
export function keepLastInput(storage: Stored, tool: string, input: Record<string, unknown>): void {
  write(storage, LAST + tool, input);
}

/** Where an input belongs. */
export interface InputOwner {
  server: string;
  tool: string;
}

/** The inputs that were saved for a tool, in the order of their names. */
export function namedInputs(storage: Stored, { server, tool }: InputOwner): NamedInput[] {
  return allNamed(storage)
    .filter((entry) => entry.server === server && entry.tool === tool)
    .map(({ name, input }) => ({ name, input }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** Saves an input, in place of one with the same name. The oldest of all gives way. */
export function saveInput(
  storage: Stored,
  owner: InputOwner,
  { name, input }: NamedInput,
): boolean {
  const entry = { ...owner, name: name.trim().slice(0, MOST_NAME), input };
  if (entry.name === "") return false;
  return write(storage, NAMED, [...without(storage, owner, entry.name), entry].slice(-MOST_NAMED));
}

/** Removes a saved input. */
export function removeInput(storage: Stored, owner: InputOwner, name: string): void {
  write(storage, NAMED, without(storage, owner, name));
}

type Entry = InputOwner & NamedInput;

function without(storage: Stored, { server, tool }: InputOwner, name: string): Entry[] {
  return allNamed(storage).filter(
    (entry) => entry.server !== server || entry.tool !== tool || entry.name !== name,
  );
}

function allNamed(storage: Stored): Entry[] {
  const list = read(storage, NAMED);
  return (Array.isArray(list) ? list : []).filter((entry): entry is Entry => {
    const { server, tool, name, input } = Object(entry);
    const isNamed = [server, tool, name].every((text) => typeof text === "string");
    return isNamed && objectOf(input) !== undefined;
  });
}

function read(storage: Stored, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? "null");
  } catch {
    return undefined;
  }
}

/** Whether it was kept. */
function write(storage: Stored, key: string, value: unknown): boolean {
  const text = JSON.stringify(value);
  if (text.length > MOST_TEXT) return false;
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
