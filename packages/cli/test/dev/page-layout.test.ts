import { describe, expect, test } from "vitest";
import { createLayout, limitPane } from "../../pages/dev/page-layout.ts";
import { viewScale } from "../../pages/dev/view-scale.ts";

function storageOf(text?: string): Pick<Storage, "getItem" | "setItem"> & { text?: string } {
  return {
    ...(text !== undefined && { text }),
    getItem() {
      return this.text ?? null;
    },
    setItem(_key, value) {
      this.text = value;
    },
  };
}

describe("the page's layout", () => {
  test("is restored from the last session", () => {
    const storage = storageOf();
    createLayout(storage).set({ toolsWidth: 333, hasInspector: false, theme: "dark" });
    expect(createLayout(storage).get()).toMatchObject({
      toolsWidth: 333,
      hasInspector: false,
      theme: "dark",
      hasTools: true,
    });
  });

  test.each(["", "nonsense", "null", "[]", '{"toolsWidth":"wide","theme":7,"hasTools":"no"}'])(
    "has defaults if the stored text is %j",
    (text) => {
      expect(createLayout(storageOf(text)).get()).toEqual(createLayout(storageOf()).get());
    },
  );

  test("keeps every pane within its limits", () => {
    const stored = storageOf('{"toolsWidth":99999,"inspectorHeight":-5}');
    expect(createLayout(stored).get()).toMatchObject({ toolsWidth: 560, inspectorHeight: 140 });
    expect(limitPane("inspectorWidth", 12.4)).toBe(300);
  });
});

describe("a view's scale", () => {
  test("shrinks a device to the room, and never enlarges it", () => {
    expect(viewScale({ width: 1200 }, { zoom: "fit", room: 600 })).toEqual({
      width: 1200,
      scale: 0.5,
    });
    expect(viewScale({ width: 360 }, { zoom: "fit", room: 600 })).toEqual({ width: 360, scale: 1 });
  });

  test("gives a view without a device all the room, which is more when it is drawn smaller", () => {
    expect(viewScale({}, { zoom: "fit", room: 600 })).toEqual({ width: 600, scale: 1 });
    expect(viewScale({}, { zoom: 0.5, room: 600 })).toEqual({ width: 1200, scale: 0.5 });
  });

  test("keeps the zoom that the user chose, even if the picture is wider than the room", () => {
    expect(viewScale({ width: 1200 }, { zoom: 0.75, room: 600 })).toEqual({
      width: 1200,
      scale: 0.75,
    });
  });
});
