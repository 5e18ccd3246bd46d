// AWS Signature Version 4 for one request with its whole body.

import { createHash, createHmac } from "node:crypto";

/** The credentials, and the region of the bucket. */
export interface SigningKey {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

/** A request to sign. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyHash: string;
}

/** The headers of a request to S3, with its signature. */
export function signRequest(
  { method, url, headers, bodyHash }: UnsignedRequest,
  { accessKey, secretKey, region }: SigningKey,
  now: Date = new Date(),
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    "x-amz-content-sha256": bodyHash,
    "x-amz-date": time,
  };
  const names = Object.keys(all).sort();
  const signed = names.join(";");
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url),
    ...names.map((name) => `${name}:${all[name]?.trim()}`),
    "",
    signed,
    bodyHash,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${secretKey}`,
  );
  const signature = hmac(key, text).toString("hex");
  const credential = `${accessKey}/${scope}`;
  const { host: _host, ...sent } = all;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signed},Signature=${signature}`,
  };
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join("&");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
