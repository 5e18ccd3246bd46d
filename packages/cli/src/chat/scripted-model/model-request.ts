/** One thing in the conversation that the endpoint received, the same for both wire formats. */
export type ModelEntry =
  | { from: "user"; text: string }
  | { from: "assistant"; text: string }
  | { from: "call"; id: string; name: string }
  | { from: "result"; name: string; text: string };

/** A request for an answer of the model, the same for both wire formats. */
export interface ModelRequest {
  wire: "openai" | "anthropic";
  model: string;
  stream: boolean;
  system: string;
  /** The names of the tools that the request offers. */
  tools: string[];
  entries: ModelEntry[];
  /** The text of the last message of the user. */
  user: string;
  /** The tools whose results the request ends with. Empty if it ends with a message of the user. */
  after: string[];
  /** The text of these results. */
  result: string;
}

/** A request body that isn't in the wire format. The message is for the developer who sent it. */
export class RequestError extends Error {
  override name = "RequestError";
}

type Fields = Record<string, unknown>;

function record(value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RequestError(`${path} must be an object.`);
  return value as Fields;
}

function list(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw new RequestError(`${path} must be a list.`);
  return value;
}

function string(value: unknown, path: string): string {
  if (typeof value !== "string") throw new RequestError(`${path} must be a string.`);
  return value;
}

/** The text of a content that is a string or a list of blocks. Images and files have no text. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block) => (block as Fields | null)?.text)
    .filter((text): text is string => typeof text === "string")
    .join("\n");
}

function finish(
  wire: ModelRequest["wire"],
  body: Fields,
  { system, tools, entries }: Pick<ModelRequest, "system" | "tools" | "entries">,
): ModelRequest {
  let last = entries.length;
  while (entries[last - 1]?.from === "result") last--;
  const results = entries.slice(last).filter((entry) => entry.from === "result");
  return {
    wire,
    model: string(body.model, "model"),
    stream: body.stream === true,
    system,
    tools,
    entries,
    user: entries.filter((entry) => entry.from === "user").at(-1)?.text ?? "",
    after: results.map(({ name }) => name),
    result: results.map(({ text }) => text).join("\n"),
  };
}

/** Collects the entries of a conversation, and finds the tool of each result. */
class Entries {
  readonly list: ModelEntry[] = [];
  readonly #names = new Map<string, string>();

  call(id: unknown, name: unknown, path: string): void {
    const entry = { id: string(id, `${path}.id`), name: string(name, `${path}.name`) };
    this.#names.set(entry.id, entry.name);
    this.list.push({ from: "call", ...entry });
  }

  result(id: unknown, text: string, path: string): void {
    const name = this.#names.get(string(id, `${path}.id`));
    // Endpoints reject this too, and it is the usual sign that an adapter loses calls.
    if (name === undefined)
      throw new RequestError(
        `${path} answers the call ${JSON.stringify(id)}, which no earlier message has.`,
      );
    this.list.push({ from: "result", name, text });
  }
}

/** Reads the body of `POST /v1/chat/completions`. */
export function readChatCompletion(value: unknown): ModelRequest {
  const body = record(value, "The body");
  const system: string[] = [];
  const entries = new Entries();
  list(body.messages, "messages").forEach((item, index) => {
    const path = `messages[${index}]`;
    const message = record(item, path);
    const text = textOf(message.content);
    if (message.role === "system" || message.role === "developer") system.push(text);
    else if (message.role === "user") entries.list.push({ from: "user", text });
    else if (message.role === "tool") entries.result(message.tool_call_id, text, path);
    else if (message.role === "assistant") addAnswer(entries, message, path);
    else throw new RequestError(`${path}.role is unknown: ${JSON.stringify(message.role)}.`);
  });
  const tools = list(body.tools ?? [], "tools").map((tool, index) => {
    const path = `tools[${index}]`;
    return string(
      record(record(tool, path).function, `${path}.function`).name,
      `${path}.function.name`,
    );
  });
  return finish("openai", body, { system: system.join("\n"), tools, entries: entries.list });
}

function addAnswer(entries: Entries, { content, tool_calls }: Fields, path: string): void {
  const text = textOf(content);
  if (text) entries.list.push({ from: "assistant", text });
  for (const item of list(tool_calls ?? [], `${path}.tool_calls`)) {
    const call = record(item, `${path}.tool_calls[]`);
    const { name } = record(call.function, `${path}.tool_calls[].function`);
    entries.call(call.id, name, `${path}.tool_calls[]`);
  }
}

/** Reads the body of `POST /v1/messages`. */
export function readAnthropicMessages(value: unknown): ModelRequest {
  const body = record(value, "The body");
  if (typeof body.max_tokens !== "number") throw new RequestError("max_tokens: Field required.");
  const entries = new Entries();
  list(body.messages, "messages").forEach((item, index) => {
    const path = `messages[${index}]`;
    const { role, content } = record(item, path);
    if (role !== "user" && role !== "assistant")
      throw new RequestError(`${path}.role is unknown: ${JSON.stringify(role)}.`);
    const blocks =
      typeof content === "string"
        ? [{ type: "text", text: content }]
        : list(content, `${path}.content`);
    for (const item of blocks) addBlock(entries, role, record(item, `${path}.content[]`), path);
  });
  const tools = list(body.tools ?? [], "tools").map((tool, index) =>
    string(record(tool, `tools[${index}]`).name, `tools[${index}].name`),
  );
  return finish("anthropic", body, { system: textOf(body.system), tools, entries: entries.list });
}

function addBlock(entries: Entries, from: "user" | "assistant", block: Fields, path: string): void {
  if (block.type === "text")
    entries.list.push({ from, text: string(block.text, `${path}.content[].text`) });
  else if (block.type === "tool_use") entries.call(block.id, block.name, `${path}.content[]`);
  else if (block.type === "tool_result")
    entries.result(block.tool_use_id, textOf(block.content), path);
}
