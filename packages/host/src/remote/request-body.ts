/** A request that a handler can't read; its status and message are the response. */
export class RequestRejection extends Error {
  declare readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  toResponse(): Response {
    return Response.json({ error: this.message }, { status: this.status });
  }
}

/** The JSON of a request, read up to a number of bytes. Throws a `RequestRejection`. */
export async function readJsonBody(request: Request, longest: number): Promise<unknown> {
  // A page of another site can't send this type without asking the browser first.
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new RequestRejection(415, "Send application/json.");
  }
  const reader = request.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    size += read.value.byteLength;
    if (size > longest) {
      await reader?.cancel().catch(() => {});
      throw new RequestRejection(413, `The body has more than ${longest} bytes.`);
    }
    text += decoder.decode(read.value, { stream: true });
  }
  try {
    return JSON.parse(text + decoder.decode());
  } catch {
    throw new RequestRejection(400, "The body isn't JSON.");
  }
}
