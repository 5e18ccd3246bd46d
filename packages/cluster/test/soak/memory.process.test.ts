import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { type MemoryFinding, MemoryWatch, type Watched } from "./memory.ts";

const TIME = 3000;
const LOOKS = 10;
const children: ChildProcess[] = [];

/** A process that runs a statement fifty times a second. */
async function start(work: string, isAtWork = true): Promise<Watched> {
  const program = `console.log("ready"); const kept = []; setInterval(() => { ${work} }, 20);`;
  const child = spawn(process.execPath, ["--inspect-port=0", "--eval", program]);
  children.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      output += data;
    });
  }
  await expect.poll(() => output, { timeout: 10_000 }).toContain("ready");
  return {
    name: "a process",
    pid: child.pid as number,
    output: () => output,
    isReady: () => true,
    isAtWork: async () => isAtWork,
    signal: (signal) => void child.kill(signal),
  };
}

async function watch(work: string): Promise<MemoryFinding | undefined> {
  const memory = new MemoryWatch([await start(work)], { time: TIME, warmUp: 500 });
  for (let n = 0; n < LOOKS; n++) {
    await new Promise((resolve) => setTimeout(resolve, TIME / LOOKS));
    await memory.look();
  }
  return memory.end()[0];
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

describe("the memory of a soak", () => {
  it("is flat if long-lived objects are dropped, before V8 collects them", async () => {
    const work = "kept.push(Array.from({ length: 4000 }, (_, n) => ({ n })));";
    const finding = await watch(`${work} if (kept.length > 20) kept.shift();`);
    expect(finding).toMatchObject({ inUse: { early: expect.any(Number) }, isFlat: true });
  });

  it("grows if small objects are kept in the heap", async () => {
    const finding = await watch("for (let n = 0; n < 2000; n++) kept.push({ n, at: new Date() });");
    expect(finding).toMatchObject({ inUse: { early: expect.any(Number) }, isFlat: false });
  });

  it("grows if bytes are kept outside the heap", async () => {
    const finding = await watch("kept.push(Buffer.alloc(65_536));");
    expect(finding).toMatchObject({ inUse: { early: expect.any(Number) }, isFlat: false });
  });

  it("has no finding for a process that never did any work", async () => {
    const memory = new MemoryWatch([await start("", false)], { time: 100, warmUp: 0 });
    for (let n = 0; n < 5; n++) await memory.look();
    expect(memory.end()).toMatchObject([{ inUse: undefined, isFlat: true }]);
  });

  it("has no finding for a process that lived too briefly", async () => {
    const memory = new MemoryWatch([await start("")], { time: 60_000, warmUp: 0 });
    await memory.look();
    expect(memory.end()).toMatchObject([{ inUse: undefined, isFlat: true }]);
  });
});
