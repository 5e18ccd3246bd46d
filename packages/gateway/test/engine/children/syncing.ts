// Writes under strace: many records at once, or one after the other until the disk fails.

import { type EngineError, openSqliteEngine } from "@vitrine/gateway/engine";

const [folder = "", mode] = process.argv.slice(2);
const engine = await openSqliteEngine({ folder, reserveBytes: 0 });
const append = (n: number): Promise<unknown> => engine.log.append("audit", [Buffer.from(`${n}`)]);

if (mode === "many") {
  await append(0);
  process.stdout.write("begin\n");
  await Promise.all(Array.from({ length: 100 }, (_, n) => append(n)));
  process.stdout.write("acknowledged\n");
} else if (mode === "leases") {
  const leases = engine.kv("leases", { durable: true });
  const pairs: string[][] = [];
  for (let n = 0; n < 100 && pairs.at(-1)?.includes("unavailable") !== true; n++) {
    const both = [0, 1].map(() =>
      leases.create(`lease-${n}`, Buffer.from("1")).then(
        () => "ok",
        ({ code }: EngineError) => code,
      ),
    );
    pairs.push(await Promise.all(both));
  }
  process.stdout.write(`report ${JSON.stringify(pairs)}\n`);
} else {
  let acknowledged = 0;
  const codes: string[] = [];
  for (let n = 0; n < 100 && codes.length < 5; n++) {
    await append(n).then(
      () => {
        acknowledged += 1;
      },
      (error: EngineError) => codes.push(error.code),
    );
  }
  const stored: string[] = [];
  for await (const { record } of engine.log.read("audit")) stored.push(`${Buffer.from(record)}`);
  process.stdout.write(`report ${JSON.stringify({ acknowledged, codes, stored })}\n`);
}
await engine.close();
