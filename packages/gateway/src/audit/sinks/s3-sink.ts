// An S3-compatible object store with object lock: each batch is an object that nobody can delete or overwrite
// before its retention ends, not even with the credentials. An object holds the steps as they are in the log, with
// their hashes, compressed.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { postBody } from "./http-post.ts";
import { type SigningKey, signRequest } from "./signature-v4.ts";
import type { AuditSink, SinkStep } from "./sink.ts";

/** Which bucket, and how long its objects are locked. */
export interface S3SinkOptions extends SigningKey {
  /** The address of the service, such as `https://s3.eu-central-1.amazonaws.com`. */
  url: string;
  bucket: string;
  prefix?: string | undefined;
  retentionDays: number;
}

const BATCH_BYTES = 8 * 2 ** 20;
const WAIT = 60_000;
const DAY = 24 * 60 * 60_000;
const compress = promisify(gzip);

/** A sink that is a bucket with object lock. */
export function createS3Sink(options: S3SinkOptions, wait: number = WAIT): AuditSink {
  return {
    batching: { bytes: BATCH_BYTES, wait },
    send: async (batch, signal) => {
      const { url, bucket, prefix, retentionDays } = options;
      const steps = batch.map(({ bytes }) => bytes);
      const body = await compress(Buffer.concat(steps));
      const hash = createHash("sha256").update(body).digest();
      const until = new Date(Date.now() + retentionDays * DAY);
      const target = new URL(url);
      target.pathname = ["", bucket, ...(prefix ? [prefix] : []), nameOf(batch)].join("/");
      const headers = signRequest(
        {
          method: "PUT",
          url: target,
          headers: {
            "content-type": "application/gzip",
            "x-amz-checksum-sha256": hash.toString("base64"),
            "x-amz-object-lock-mode": "COMPLIANCE",
            "x-amz-object-lock-retain-until-date": until.toISOString(),
          },
          bodyHash: hash.toString("hex"),
        },
        options,
      );
      await postBody(target.href, { method: "PUT", body, headers, signal });
    },
    close: async () => {},
  };
}

/** By day and position, so that a listing is in order. */
function nameOf(batch: readonly SinkStep[]): string {
  const first = batch[0];
  const last = batch.at(-1);
  const day = (first?.records[0]?.time ?? new Date().toISOString()).slice(0, 10);
  const number = (place = 0): string => `${place}`.padStart(16, "0");
  return `${day.replaceAll("-", "/")}/${number(first?.place)}-${number(last?.place)}.audit.gz`;
}
