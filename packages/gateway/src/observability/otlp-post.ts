import { postBody } from "../audit/sinks/http-post.ts";

/** Where a collector is. */
export interface OtlpOptions {
  /** Its base address, such as `https://collector.example:4318`. */
  url: string;
  headers?: Record<string, string> | undefined;
  /** The name of this process. */
  node: string;
}

const TIMEOUT = 10_000;

/** Sends a request of OTLP over HTTP with JSON. Rejects unless the collector took it. */
export function postOtlp(
  { url, headers = {} }: OtlpOptions,
  signal: "traces" | "metrics",
  body: object,
): Promise<void> {
  return postBody(`${url.replace(/\/$/, "")}/v1/${signal}`, {
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
    signal: AbortSignal.timeout(TIMEOUT),
  });
}

/** This process, as every request describes it. */
export function resourceOf({ node }: OtlpOptions): object {
  return {
    attributes: attributesOf({ "service.name": "vitrine-gateway", "service.instance.id": node }),
  };
}

/** Attributes with text values. */
export function attributesOf(values: Readonly<Record<string, unknown>>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: { stringValue: `${value}` },
  }));
}

/** A time in milliseconds as OTLP writes it. */
export function nanoseconds(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds * 1000)) * 1000n}`;
}
