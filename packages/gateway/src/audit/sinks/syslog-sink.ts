// Syslog: RFC 5424 messages over TCP or TLS, each with its length before it (RFC 6587, RFC 5425). The message is
// the record as one line of JSON. Syslog has no acknowledgements: a batch counts as sent if the connection
// stays open for a moment after it was written, so a receiver that crashes can lose what it had accepted.

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { toAscii } from "../ascii.ts";
import type { ReadRecord } from "../reading.ts";
import { type AuditSink, SinkError, type SinkStep } from "./sink.ts";

/** Where a syslog server is: `tcp://host:port` or `tls://host:port`. */
export interface SyslogOptions {
  url: string;
  /** Certificates that sign the server's certificate, instead of the system's. */
  caFile?: string | undefined;
}

/** "log audit" in RFC 5424. */
const FACILITY = 13;
const NOTICE = 5;
const INFO = 6;
const PORT = 6514;
const SETTLE_TIME = 100;
const CONNECT_TIME = 10_000;
const BATCH_BYTES = 512 * 1024;

/** A sink that is a syslog server. */
export function createSyslogSink({ url, caFile }: SyslogOptions): AuditSink {
  const { protocol, hostname: host, port } = new URL(url);
  const name = host.replace(/^\[|\]$/g, "");
  const at = { host: name, port: Number(port || PORT) };
  let socket: Socket | undefined;

  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const tls = { ...at, servername: name, ...(caFile && { ca: readFileSync(caFile) }) };
      const opened = protocol === "tls:" ? connectTls(tls) : connect(at);
      const fail = (error: Error): void => {
        opened.destroy();
        reject(new SinkError(`${host} can't be reached: ${error.message}`, { cause: error }));
      };
      opened.setTimeout(CONNECT_TIME, () => fail(new Error("no connection in time")));
      opened.once("error", fail);
      opened.once(protocol === "tls:" ? "secureConnect" : "connect", () => {
        opened.setTimeout(0);
        opened.off("error", fail);
        // A server that only receives has nothing to send; unread bytes would hold the connection open.
        opened.resume();
        opened.on("error", () => {});
        opened.on("close", () => {
          if (socket === opened) socket = undefined;
        });
        resolve(opened);
      });
    });

  return {
    batching: { bytes: BATCH_BYTES, wait: 0 },
    send: async (batch, signal) => {
      socket ??= await open();
      const wire = socket;
      const broken = new Promise<never>((_resolve, reject) => {
        const fail = (): void => reject(new SinkError(`${host} closed the connection.`));
        wire.once("close", fail);
        signal.addEventListener("abort", () => reject(new SinkError(`${host} takes no data.`)));
      });
      broken.catch(() => {});
      const written = new Promise<void>((resolve) => {
        wire.write(messagesOf(batch), () => resolve());
      });
      try {
        await Promise.race([written, broken]);
        await Promise.race([sleep(SETTLE_TIME), broken]);
      } catch (error) {
        wire.destroy();
        throw error;
      }
    },
    close: async () => {
      socket?.end();
      socket?.destroySoon();
    },
  };
}

/** The messages of a batch, each with its length before it. */
export function messagesOf(batch: readonly SinkStep[]): Buffer {
  const frames = batch.flatMap(({ records }) =>
    records.map((record) => {
      const message = messageOf(record);
      return `${message.length} ${message}`;
    }),
  );
  return Buffer.from(frames.join(""), "latin1");
}

/** A message as printable ASCII, so that nothing in a record can start another message or header. */
function messageOf(record: ReadRecord): string {
  const severity = record.decision?.verdict === "deny" ? NOTICE : INFO;
  const head = [
    `<${FACILITY * 8 + severity}>1`,
    headerField(record.time, 32),
    headerField(hostname(), 255),
    "vitrine-gateway",
    headerField(record.node, 128),
    headerField(record.event, 32),
    "-",
  ];
  return `${head.join(" ")} ${toAscii(JSON.stringify(record))}`;
}

function headerField(text: string, longest: number): string {
  return text.replace(/[^\x21-\x7e]/g, "_").slice(0, longest) || "-";
}
