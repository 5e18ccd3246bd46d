import { SinkError } from "./sink.ts";

/** Sends a body. Rejects with a `SinkError` unless the answer is a success. */
export async function postBody(
  url: string,
  {
    body,
    signal,
    ...rest
  }: {
    body: string | Uint8Array;
    headers: Record<string, string>;
    signal: AbortSignal;
    method?: "POST" | "PUT";
  },
): Promise<void> {
  const { host } = new URL(url);
  const answer = await fetch(url, {
    method: "POST",
    ...rest,
    body: typeof body === "string" ? body : new Uint8Array(body),
    signal,
    redirect: "error",
  }).catch((error: Error) => {
    const cause = (error.cause as Error | undefined)?.message ?? error.message;
    throw new SinkError(`${host} can't be reached: ${cause}`, { cause: error });
  });
  const text = await answer.text().catch(() => "");
  if (answer.ok) return;
  throw new SinkError(`${host} answered with HTTP ${answer.status}: ${text.slice(0, 300)}`);
}
