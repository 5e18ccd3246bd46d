import { createHmac, hash } from "node:crypto";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChainKey, type Verification, verifyAudit } from "../../src/audit/index.ts";
import { linesOf, logOf, type StoredLog, stepOf, writeLog } from "./stored-log.ts";

const keys = [{ id: "a1", secret: new Uint8Array(32).fill(7) }];

const verify = (
  steps: readonly Uint8Array[],
  { heads, keys: given }: { heads?: StoredLog["heads"]; keys?: readonly ChainKey[] } = {},
): Promise<Verification> =>
  verifyAudit({ log: logOf(steps), ...(heads && { known: heads }), ...(given && { keys: given }) });

const kinds = ({ findings }: Verification): string[] => findings.map(({ kind }) => kind);

// Two lives, the first killed; step sizes differ, so that no two steps are alike.
const stored = await writeLog([{ steps: [3, 1, 2], end: false }, { steps: [2, 4, 1] }]);
const place = fc.nat({ max: stored.steps.length - 1 });

const without = (steps: readonly Uint8Array[], at: number): Uint8Array[] => steps.toSpliced(at, 1);

describe("an unmodified log", () => {
  test("verifies run by run, and reports a kill as a gap", async () => {
    const result = await verify(stored.steps, { heads: stored.heads });
    expect(result.findings).toEqual([]);
    expect(result.ok).toBe(true);
    expect([result.steps, result.records]).toEqual([9, 13]);
    expect(result.chains).toMatchObject([
      { node: "n1", epoch: 1, steps: 4, records: 6, ended: "killed" },
      { node: "n1", epoch: 2, steps: 5, records: 7, ended: "in-order" },
    ]);
    expect(result.gaps).toMatchObject([
      { kind: "killed", node: "n1", epoch: 1, records: { from: 6, to: 6 } },
    ]);
    expect(result.gaps[0]?.text).toContain("Records after 6 were not stored");
  });

  test("verifies while it is still being written", async () => {
    const running = await writeLog([{ steps: [1], end: false }]);
    const result = await verify(running.steps, { heads: running.heads });
    expect([result.ok, result.gaps, result.chains[0]?.ended]).toEqual([true, [], "open"]);
  });

  test("verifies when processes share a partition", async () => {
    const other = await writeLog([{ steps: [2, 2] }], { node: "n2" });
    const mixed = [...stored.steps];
    for (const [n, step] of other.steps.entries()) mixed.splice(n * 2 + 1, 0, step);
    const result = await verify(mixed, { heads: [...stored.heads, ...other.heads] });
    expect(result.findings).toEqual([]);
    expect(result.chains).toHaveLength(3);
  });

  test("verifies as an archive whose oldest steps are stored elsewhere, and reports that", async () => {
    const log = logOf(stored.steps.slice(2), 3);
    const result = await verifyAudit({ log, known: stored.heads, isArchive: true });
    expect(result.findings).toEqual([]);
    expect(result.gaps).toMatchObject([
      { kind: "trimmed", records: { from: 1, to: 3 } },
      { kind: "killed" },
    ]);
  });

  test("doesn't take a call's arguments for a dropped record", async () => {
    const { steps } = await writeLog(
      [{ steps: [1] }],
      {},
      { event: "gap", detail: { dropped: 9 } },
    );
    expect(linesOf(steps[1] as Uint8Array)[1]).toContain('"event":"gap"');
    expect((await verify(steps)).gaps).toEqual([]);
  });
});

describe("tampering is found (G143)", () => {
  test("a changed byte, anywhere in any step", async () => {
    await fc.assert(
      fc.asyncProperty(place, fc.nat(), fc.integer({ min: 1, max: 255 }), async (at, where, by) => {
        const step = Buffer.from(stored.steps[at] as Uint8Array);
        const offset = where % step.length;
        step.writeUInt8(step.readUInt8(offset) ^ by, offset);
        const result = await verify(stored.steps.with(at, step));
        expect(result.ok).toBe(false);
        // The place in the log is that of the step, unless its name was hit.
        const places = result.findings.map((finding) => finding.place);
        if (offset > (linesOf(step)[0] as string).length) expect(places).toContain(at + 1);
      }),
      { numRuns: 400 },
    );
  });

  test("a changed byte in a line is attributed to its record", async () => {
    const at = 1;
    const original = Buffer.from(stored.steps[at] as Uint8Array);
    const lines = linesOf(original);
    let start = (lines[0] as string).length + 1;
    for (const [n, line] of lines.slice(1, -1).entries()) {
      for (let offset = start; offset < start + line.length; offset++) {
        const step = Buffer.from(original);
        step.writeUInt8(step.readUInt8(offset) ^ 1, offset);
        const { findings } = await verify(stored.steps.with(at, step));
        const named = findings.find(({ text }) => text.startsWith(`Record ${n + 1} was changed`));
        expect([line[offset - start], named?.records]).toEqual([
          line[offset - start],
          { from: n + 1, to: n + 1 },
        ]);
      }
      start += line.length + 1;
    }
  });

  test("a removed step, including the first and the last", async () => {
    for (const at of stored.steps.keys()) {
      const result = await verify(without(stored.steps, at), { heads: stored.heads });
      expect([at, result.ok, kinds(result)]).toEqual([
        at,
        false,
        expect.arrayContaining(["missing"]),
      ]);
    }
  });

  test("removed steps are reported with the range of their records", async () => {
    const result = await verify(stored.steps.toSpliced(1, 2), { heads: stored.heads });
    expect(result.findings).toMatchObject([
      { kind: "missing", epoch: 1, steps: { from: 2, to: 3 }, records: { from: 1, to: 4 } },
    ]);
    expect(result.findings[0]?.text).toContain(
      'Run 1 of "n1" lacks steps 2 to 3, with records 1 to 4.',
    );
    const tail = await verify(stored.steps.slice(0, -2), { heads: stored.heads });
    expect(tail.findings).toMatchObject([
      { kind: "missing", epoch: 2, steps: { from: 4, to: 5 }, records: { from: 7, to: 7 } },
    ]);
    const life = await verify(stored.steps.slice(0, 4), { heads: stored.heads });
    expect(life.findings).toMatchObject([
      { kind: "missing", epoch: 2, steps: { from: 1, to: 5 }, records: { from: 1, to: 7 } },
    ]);
    const early = await verify(stored.steps.slice(4), { heads: [] });
    expect(early.findings[0]?.text).toContain(
      "followed step 4 of run 1, which is missing from the log",
    );
  });

  test("steps that changed places", async () => {
    await fc.assert(
      fc.asyncProperty(place, place, async (from, to) => {
        if (from === to) return;
        const [step] = stored.steps.slice(from, from + 1);
        const moved = without(stored.steps, from).toSpliced(to, 0, step as Uint8Array);
        const result = await verify(moved, { heads: stored.heads });
        expect(result.ok).toBe(false);
      }),
      { numRuns: 100 },
    );
    const swapped = stored.steps
      .with(1, stored.steps[2] as Uint8Array)
      .with(2, stored.steps[1] as Uint8Array);
    const result = await verify(swapped, { heads: stored.heads });
    expect(kinds(result)).toEqual(["moved"]);
    expect(result.findings[0]?.text).toContain('Step 2 of run 1 of "n1" is at the wrong position');
  });

  test("a step that was doubled", async () => {
    await fc.assert(
      fc.asyncProperty(place, place, async (from, to) => {
        const doubled = stored.steps.toSpliced(to, 0, stored.steps[from] as Uint8Array);
        const result = await verify(doubled, { heads: stored.heads });
        expect(result.ok).toBe(false);
      }),
      { numRuns: 100 },
    );
    const twice = stored.steps.toSpliced(2, 0, stored.steps[1] as Uint8Array);
    expect(kinds(await verify(twice, { heads: stored.heads }))).toEqual(["doubled"]);
  });

  test("a record that was removed, moved or duplicated in its step is named", async () => {
    const [head = "", one = "", two = "", three = "", end = ""] = linesOf(
      stored.steps[1] as Uint8Array,
    );
    const cases: [string[], string, string][] = [
      [[head, one, three, end], "missing", "Record 2 is missing"],
      [[head, two, three, end], "missing", "Record 1 is missing"],
      [[head, one, two, end], "missing", "Record 3 is missing"],
      [[head, two, one, three, end], "moved", "Record 1 is at the wrong position"],
      [[head, one, two, two, three, end], "doubled", "Record 2 occurs twice"],
    ];
    for (const [lines, kind, text] of cases) {
      const { findings } = await verify(stored.steps.with(1, stepOf(lines)));
      const named = findings.filter((found) => found.kind === kind && found.text.startsWith(text));
      expect([text, named.length]).toEqual([text, 1]);
      expect(findings.map((finding) => finding.kind)).toContain("changed");
    }
    const longer = stepOf([head, one, two, three, end, end]);
    expect((await verify(stored.steps.with(1, longer))).ok).toBe(false);
  });

  /** A step with another record, whose checksum and hash were recomputed. */
  function forge(
    step: Uint8Array,
    change: (text: string) => string,
    with_?: Uint8Array,
  ): Uint8Array {
    const [head = "", ...rest] = linesOf(step);
    const lines = rest.slice(0, -1).map((line) => {
      const json = change(line.slice(9));
      return `${crc32(json).toString(16).padStart(8, "0")} ${json}`;
    });
    const body = `${[change(head), ...lines].join("\n")}\n`;
    const sum = with_
      ? createHmac("sha256", with_).update(body).digest("hex")
      : hash("sha256", body, "hex");
    return Buffer.from(`${body}end ${sum}\n`, "latin1");
  }

  test("a replaced record with correct checksums, by the next step", async () => {
    const forged = forge(stored.steps[1] as Uint8Array, (text) => text.replace("tool-0", "tool-9"));
    const result = await verify(stored.steps.with(1, forged));
    expect(result.findings).toMatchObject([{ kind: "changed", place: 3 }]);
    expect(result.findings[0]?.text).toContain("Step 3");
  });

  test("a replaced last step with correct checksums, by the stored head", async () => {
    const last = stored.steps.length - 2;
    const steps = stored.steps.slice(0, last + 1);
    const forged = forge(steps[last] as Uint8Array, (text) => text.replace("tool-0", "tool-9"));
    const anchor = {
      node: "n1",
      epoch: 2,
      step: 4,
      record: 7,
      place: 8,
      hash: headHash(steps[last] as Uint8Array),
    };
    expect((await verify(steps, { heads: [anchor] })).ok).toBe(true);
    const result = await verify(steps.with(last, forged), { heads: [anchor] });
    expect(kinds(result)).toEqual(["changed"]);
    expect(result.findings[0]?.text).toContain("differs from the step whose hash was stored");
  });

  const headHash = (step: Uint8Array): string => (linesOf(step).at(-1) as string).slice(4);

  test("a completely rewritten chain, if the forger lacks the key", async () => {
    const keyed = await writeLog([{ steps: [2, 2] }], { keys });
    expect((await verify(keyed.steps, { keys, heads: keyed.heads })).ok).toBe(true);
    expect(
      (await verify(keyed.steps, { keys: [{ id: "a1", secret: new Uint8Array(32) }] })).ok,
    ).toBe(false);
    expect((await verify(keyed.steps)).ok).toBe(false);
    const rewrite = (with_?: Uint8Array): Uint8Array[] => {
      let prev = "0".repeat(64);
      return keyed.steps.map((step) => {
        const forged = forge(
          step,
          (text) =>
            text.replace("tool-0", "tool-9").replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${prev}"`),
          with_,
        );
        prev = headHash(forged);
        return forged;
      });
    };
    // With the key the forgery succeeds, which shows that it is otherwise perfect.
    expect((await verify(rewrite(keys[0]?.secret), { keys })).ok).toBe(true);
    expect((await verify(rewrite(), { keys })).ok).toBe(false);
  });

  test("data that isn't a step", async () => {
    for (const junk of ["", "\n", "{}", '{"audit":1}\n', "null\n", "end 0\n", "[1]\n"]) {
      const steps = stored.steps.toSpliced(3, 0, Buffer.from(junk));
      const result = await verify(steps, { heads: stored.heads });
      expect(result.findings).toMatchObject([{ kind: "malformed", place: 4 }]);
    }
  });
});
