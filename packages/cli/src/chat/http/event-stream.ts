/** A stream of JSON values, one a line, with a value whenever something changes. */
export function eventStream<Value>(
  read: () => Value,
  onChange: (listener: () => void) => () => void,
): Response {
  const encoder = new TextEncoder();
  let stop = (): void => {};
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      const tell = (): void => send(`${JSON.stringify(read())}\n`);
      tell();
      const unsubscribe = onChange(tell);
      // An empty line now and then, so that both ends notice a connection that is gone.
      const beat = setInterval(() => send("\n"), 20_000);
      beat.unref();
      stop = () => {
        clearInterval(beat);
        unsubscribe();
      };
    },
    cancel: () => stop(),
  });
  return new Response(stream, { headers: { "content-type": "application/x-ndjson" } });
}
