/** The JSON-RPC messages of a response, one or a stream of them. */
export async function* messagesOf(answer: Response): AsyncGenerator<string> {
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) {
    yield await answer.text();
    return;
  }
  let rest = "";
  const decoder = new TextDecoder();
  const reader = answer.body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    rest += decoder.decode(read.value, { stream: true });
    const events = rest.split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event.split("\n").filter((line) => line.startsWith("data:"));
      if (data.length > 0) yield data.map((line) => line.slice(5).trimStart()).join("\n");
    }
  }
}
