// Fills whatever disk or limit it was given, goes on after that, and reports what it saw as one line.

import { type Engine, type EngineError, openSqliteEngine } from "@vitrine/gateway/engine";

const [folder = ""] = process.argv.slice(2);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function codeOf(doing: Promise<unknown>): Promise<string> {
  return doing.then(
    () => "ok",
    (error: EngineError) => error.code ?? String(error),
  );
}

async function fill(
  engine: Engine,
): Promise<{ taken: string[]; refused: string[]; ended: string }> {
  const taken: string[] = [];
  const refused: string[] = [];
  for (let n = 0; n < 5_000; n++) {
    const id = `n${n}`;
    const code = await codeOf(
      engine.log.append("audit", [text(`${id} ${"x".repeat(3_000)}`)], { id }),
    );
    if (code === "ok") taken.push(id);
    else {
      refused.push(id);
      if (refused.length === 3) return { taken, refused, ended: code };
    }
  }
  return { taken, refused, ended: "never full" };
}

async function readIds(engine: Engine): Promise<string[]> {
  const ids: string[] = [];
  for await (const { record } of engine.log.read("audit")) {
    ids.push(new TextDecoder().decode(record).split(" ")[0] ?? "");
  }
  return ids;
}

const engine = await openSqliteEngine({ folder });
const grants = engine.kv("grants", { durable: true });
await grants.put("before", text("1"));
const filled = await fill(engine);
// Until there is no room for a small write either.
let small = "ok";
for (let n = 0; n < 500 && small === "ok"; n++) {
  small = await codeOf(grants.put(`key-${n}`, text("z".repeat(2_000))));
}
const blob = await codeOf(engine.blob.put(new Uint8Array(2_000_000)));
const before = Buffer.from((await grants.get("before"))?.value ?? []).toString();
const readWhileFull = await readIds(engine);
const { last = 0 } = (await engine.log.bounds("audit")) ?? {};
await engine.log.trim("audit", last);
const afterTrim = await codeOf(engine.log.append("audit", [text("after trim")], { id: "after" }));
const left = await readIds(engine);
await engine.close();
// The remaining data is complete, and the rejected records aren't part of it.
const again = await openSqliteEngine({ folder });
const reread = await readIds(again);
await again.close();
const report = { ...filled, small, blob, before, readWhileFull, afterTrim, left, reread };
process.stdout.write(`report ${JSON.stringify(report)}\n`);
