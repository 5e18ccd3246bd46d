/** The text of a request; `undefined` as soon as there are more bytes than allowed. */
export async function readText(request: Request, most: number): Promise<string | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > most) return undefined;
  if (!request.body) return "";
  // The header may be wrong or missing, so the bytes are counted as they arrive.
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(request.body)) {
    bytes += chunk.length;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return decode(chunks);
}

/** UTF-8, or nothing: a document with replaced characters is not the one its server sent (E103). */
async function decode(chunks: Uint8Array<ArrayBuffer>[]): Promise<string> {
  const bytes = await new Blob(chunks).arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "";
  }
}

async function* chunksOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Also when we stop early, so that an endless sender is cut off.
    await reader.cancel().catch(() => undefined);
  }
}

/** The value of a JSON text; `undefined` for other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a request's `Content-Type` is one of these media types. */
export function hasType(request: Request, ...types: string[]): boolean {
  const [media = ""] = (request.headers.get("content-type") ?? "").split(";");
  return types.includes(media.trim().toLowerCase());
}
