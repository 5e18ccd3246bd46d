import { describe, expect, test } from "vitest";
import { createFloatingPlace } from "../src/surface/floating-place.ts";
import {
  floatingBox,
  freeBox,
  isSheet,
  limitMove,
  limitSize,
  nearestCorner,
} from "../src/surface/regions.ts";

const AREA = { left: 100, top: 0, width: 1000, height: 800 };

describe("the area without its composer", () => {
  test("is the part above a composer at the bottom", () => {
    const composer = { left: 100, top: 720, width: 1000, height: 80 };
    expect(freeBox(AREA, composer)).toEqual({ ...AREA, height: 720 });
  });

  test("is the largest part next to a composer elsewhere", () => {
    const top = { left: 100, top: 0, width: 1000, height: 80 };
    expect(freeBox(AREA, top)).toEqual({ ...AREA, top: 80, height: 720 });
    const left = { left: 100, top: 0, width: 300, height: 800 };
    expect(freeBox(AREA, left)).toEqual({ ...AREA, left: 400, width: 700 });
  });

  test("is the whole area if the composer is elsewhere or there is none", () => {
    expect(freeBox(AREA, undefined)).toEqual(AREA);
    expect(freeBox(AREA, { left: 0, top: 0, width: 100, height: 800 })).toEqual(AREA);
  });
});

describe("a floating view", () => {
  test("is docked to each corner with a distance of 16 pixels", () => {
    const place = createFloatingPlace();
    const at = (corner: Parameters<typeof floatingBox>[2]) => floatingBox(AREA, place, corner);
    expect(at("top-left")).toEqual({ left: 116, top: 16, width: 360, height: 240 });
    expect(at("bottom-right")).toEqual({ left: 724, top: 544, width: 360, height: 240 });
  });

  test("is never larger than its area nor too small to use, unless the area is", () => {
    expect(limitSize(AREA, { width: 5000, height: 5000 })).toEqual({ width: 968, height: 768 });
    expect(limitSize(AREA, { width: 1, height: 1 })).toEqual({ width: 280, height: 160 });
    const small = { ...AREA, width: 200, height: 20 };
    expect(limitSize(small, { width: 360, height: 240 })).toEqual({ width: 168, height: 0 });
  });

  test("can't be dragged out of its area, and goes to the nearest corner", () => {
    const box = { left: -500, top: 5000, width: 360, height: 240 };
    const moved = limitMove(AREA, box);
    expect(moved).toEqual({ left: 100, top: 560, width: 360, height: 240 });
    expect(nearestCorner(AREA, moved)).toBe("bottom-left");
    expect(nearestCorner(AREA, { ...moved, left: 700, top: 100 })).toBe("top-right");
  });

  test("is a sheet in a narrow area", () => {
    expect(isSheet({ ...AREA, width: 360 })).toBe(true);
    expect(isSheet(AREA)).toBe(false);
  });
});
