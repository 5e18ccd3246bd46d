// Opens a folder, says whether it got it, and keeps it until its input ends.

import { type EngineError, openFileEngine } from "@vitrine/gateway/engine";

const [folder = ""] = process.argv.slice(2);
try {
  const engine = await openFileEngine({ folder });
  process.stdout.write("open\n");
  process.stdin.resume().on("end", () => void engine.close());
} catch (error) {
  const { code, message } = error as EngineError;
  process.stdout.write(`refused ${code} ${message}\n`);
  process.stdin.unref?.();
}
