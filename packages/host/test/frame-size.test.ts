import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type AppliedSize,
  type ContainerDimensions,
  createFrameSize,
} from "../src/frame/frame-size.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => setTimeout(run, 16));
  vi.stubGlobal("cancelAnimationFrame", clearTimeout);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function open(dimensions?: ContainerDimensions) {
  const sizes: AppliedSize[] = [];
  const size = createFrameSize((next) => sizes.push(next), dimensions);
  return { sizes, size, heights: () => sizes.map(({ height }) => height) };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("a size that a View reports", () => {
  test("is applied along flexible axes, up to their caps (HST-56)", async () => {
    const { sizes, size } = open({ maxWidth: 500, maxHeight: 600 });
    size.report({ width: 320.2, height: 240 });
    await pass(20);
    size.report({ width: 9000, height: 1e9 });
    await pass(20);
    expect(sizes).toEqual([{ width: 321 }, { height: 240 }, { width: 500 }, { height: 600 }]);
  });

  test("grows to 800 pixels where the Host names no cap", async () => {
    const { heights, size } = open();
    size.report({ height: 5000 });
    await pass(20);
    expect(heights()).toEqual([800]);
  });

  test("may shrink each time the page gets wider, because text wraps differently", async () => {
    const { heights, size } = open({ width: 300 });
    for (const [width, height] of [
      [300, 700],
      [400, 520],
      [500, 410],
      [600, 350],
    ] as const) {
      size.setDimensions({ width });
      size.report({ height });
      await pass(100);
    }
    expect(Math.abs((heights().at(-1) ?? 0) - 350)).toBeLessThanOrEqual(3);
  });

  test("is ignored along fixed axes (HST-57)", async () => {
    const { sizes, size } = open({ width: 400, height: 300 });
    size.report({ width: 1, height: 1 });
    await pass(20);
    size.setDimensions({ width: 400 });
    size.report({ width: 1, height: 120 });
    await pass(20);
    expect(sizes).toEqual([{ height: 120 }]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, "200", null, undefined, {}])(
    "is ignored if it is %s",
    async (height) => {
      const { sizes, size } = open();
      size.report({ height });
      size.report(height);
      await pass(20);
      expect(sizes).toEqual([]);
    },
  );

  test("is applied once in an animation frame, the newest", async () => {
    const { heights, size } = open();
    for (let height = 100; height <= 200; height++) size.report({ height });
    await pass(20);
    expect(heights()).toEqual([200]);
  });

  test("comes to nothing after close", async () => {
    const { sizes, size } = open();
    size.report({ height: 100 });
    size.close();
    await pass(20);
    expect(sizes).toEqual([]);
  });
});

/** A View whose height depends on its frame's: reports after each resize, and asks nobody. */
async function follow(view: (frame: number) => number, { delay = 30, polls = 0 } = {}) {
  const sizes: number[] = [];
  let frame = 150;
  const size = createFrameSize(({ height = 0 }) => {
    sizes.push(height);
    frame = height;
    setTimeout(() => size.report({ height: view(frame) }), delay);
  });
  size.report({ height: view(frame) });
  for (let poll = 0; poll < polls; poll++) {
    await pass(1000);
    size.report({ height: view(frame) });
  }
  await pass(20_000);
  return sizes;
}

describe("a View that follows its frame settles at once", () => {
  test.each([
    ["100vh and a margin", (frame: number) => frame + 16],
    ["a border that it does not count", (frame: number) => frame - 2],
    ["a margin that it does not count", (frame: number) => frame - 24],
    ["90vh", (frame: number) => frame * 0.9],
    ["all of it", (frame: number) => frame],
    ["content of its own", () => 420],
    ["content that needs no scroll bar in the end", (frame: number) => (frame < 300 ? 320 : 300)],
    ["content that wraps differently and stays so", (frame: number) => (frame < 200 ? 500 : 460)],
    ["rounding", (frame: number) => frame + (frame % 2 ? 0.4 : -0.4)],
  ])("%s", async (_, view) => {
    for (const options of [{ delay: 30 }, { delay: 300 }, { delay: 30, polls: 20 }]) {
      const sizes = await follow(view, options);
      expect(sizes.length).toBeLessThanOrEqual(3);
      expect(sizes.at(-1)).toBeGreaterThan(100);
      const turns = sizes.filter((size, i) => {
        const [before = size, after = size] = [sizes[i - 1], sizes[i + 1]];
        return (size - before) * (after - size) < 0;
      });
      expect(turns).toEqual([]);
    }
  });

  test("and one that is content with no size gets the larger, which shows all of it", async () => {
    for (const large of [320, 600]) {
      const sizes = await follow((frame) => (frame < large ? large : 300));
      expect(sizes.length).toBeLessThanOrEqual(5);
      expect(sizes.at(-1)).toBeGreaterThanOrEqual(large);
    }
  });

  test("and one of whose two reporters follows it", async () => {
    let turn = 0;
    const sizes = await follow((frame) => (turn++ % 2 ? 200 : frame + 24));
    expect(sizes.length).toBeLessThanOrEqual(3);
  });

  test("and what grows with its frame by a share stops at the cap", async () => {
    const sizes = await follow((frame) => frame * 1.1);
    expect(sizes.at(-1)).toBe(800);
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
  });
});

describe("content of a View's own", () => {
  const MARGIN = 3;

  /** Reports heights one after the other; whether each was given, and not much more. */
  async function grow(heights: readonly number[], every: number) {
    const { sizes, size } = open({ maxHeight: 5000 });
    const given: number[] = [];
    for (const height of heights) {
      size.report({ height });
      await pass(every);
      given.push(sizes.at(-1)?.height ?? 0);
    }
    return given.map((height, i) => height - (heights[i] ?? 0));
  }

  const rows = (count: number, step: number) =>
    Array.from({ length: count }, (_, i) => Math.ceil(100 + (i + 1) * step));

  test.each([20, 20.8, 17.6, 1.4, 24])(
    "grows by rows of %f pixels, however fast they come",
    async (step) => {
      for (const every of [17, 100, 600, 3000]) {
        for (const missing of await grow(rows(40, step), every)) {
          expect(missing).toBeGreaterThanOrEqual(-1);
          expect(missing).toBeLessThanOrEqual(MARGIN);
        }
      }
    },
  );

  test("that is as tall as it was, or a hair shorter than its frame, moves nothing", async () => {
    const { heights, size } = open();
    for (const height of [300, 340, 340, 340, 340]) {
      size.report({ height });
      await pass(2000);
    }
    expect(heights()).toHaveLength(2);
  });

  test("shrinks, row by row, when rows go", async () => {
    const heights = rows(20, 40).reverse();
    for (const missing of await grow(heights, 2000))
      expect(missing).toBeLessThanOrEqual(MARGIN + 1);
  });

  test("opens and closes as often as the user likes", async () => {
    const heights = Array.from({ length: 20 }, (_, i) => (i % 2 ? 500 : 300));
    for (const missing of await grow(heights, 2000)) {
      expect(missing).toBeGreaterThanOrEqual(0);
      expect(missing).toBeLessThanOrEqual(MARGIN);
    }
  });

  test("that is much shorter than what stood in for it gets its size, if a moment later", async () => {
    const { heights, size } = open();
    for (const height of [40, 400, 60]) {
      size.report({ height });
      await pass(100);
    }
    await pass(2000);
    expect(heights().at(-1)).toBeLessThanOrEqual(60 + MARGIN);
  });

  test("is followed while it folds away, to its last size or nearly", async () => {
    const { heights, size } = open();
    for (const height of [500, 300]) {
      size.report({ height });
      await pass(5000);
    }
    size.report({ height: 500 });
    await pass(2000);
    for (let height = 495; height >= 300; height -= 5) {
      size.report({ height });
      await pass(17);
    }
    await pass(2000);
    expect(heights().at(-1)).toBeLessThanOrEqual(310);
  });

  test("cannot make the frame flicker", async () => {
    const { heights, size } = open();
    for (let i = 0; i < 600; i++) {
      size.report({ height: i % 2 ? 100 : 700 });
      await pass(17);
    }
    // Ten seconds of 60 reports each.
    expect(heights().length).toBeLessThan(20);
  });
});
