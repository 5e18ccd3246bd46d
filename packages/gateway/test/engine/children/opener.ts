// Opens a folder, reports whether it got it, appends what it's told to, and keeps the folder until its input
// ends.

import { createInterface } from "node:readline";
import { type EngineError, openSqliteEngine } from "@vitrine/gateway/engine";

const [folder = ""] = process.argv.slice(2);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  const onNotice = ({ kind }: { kind: string }): void => print(`notice ${kind}`);
  const engine = await openSqliteEngine({ folder, onNotice });
  print("open");
  for await (const line of createInterface({ input: process.stdin })) {
    const text = line.replace(/^append /, "");
    await engine.log.append("audit", [Buffer.from(text)]).then(
      () => print(`appended ${text}`),
      ({ code, message }: EngineError) => print(`failed ${text} ${code} ${message}`),
    );
  }
  await engine.close();
} catch (error) {
  const { code, message } = error as EngineError;
  print(`refused ${code} ${message}`);
}
