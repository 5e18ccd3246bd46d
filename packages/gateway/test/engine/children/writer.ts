// Appends and puts endlessly and prints each acknowledged write, until it is killed. The pipe is written
// synchronously, so that whatever the parent reads was acknowledged before.

import { openSqliteEngine } from "@vitrine/gateway/engine";

const [folder = "", start = "0"] = process.argv.slice(2);
const engine = await openSqliteEngine({ folder });
const grants = engine.kv("grants", { durable: true });
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function append(lane: number): Promise<void> {
  for (let n = Number(start); ; n++) {
    const id = `${lane}.${n}`;
    const filling = "x".repeat((n * 37) % 700);
    const batch = [text(`${id}.a ${filling}`), text(`${id}.b ${filling}`)];
    await engine.log.append("audit", batch, { id });
    process.stdout.write(`log ${id}\n`);
  }
}

async function put(): Promise<void> {
  for (let n = Number(start); ; n++) {
    const revision = await grants.put(`key-${n % 5}`, text(`${n} ${"y".repeat(n % 900)}`));
    process.stdout.write(`kv ${n} ${revision}\n`);
    const hash = await engine.blob.put(text(`blob ${n}`));
    process.stdout.write(`blob ${hash}\n`);
  }
}

await Promise.all([append(0), append(1), append(2), put()]);
