import { expect, test } from "vitest";
import {
  keepLastInput,
  lastInput,
  namedInputs,
  removeInput,
  saveInput,
} from "../../pages/dev/tool-inputs.ts";

const owner = { server: "tasks", tool: "show" };

function storageOf(): Pick<Storage, "getItem" | "setItem"> & { texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, value) => void texts.set(key, value),
  };
}

test("named inputs are kept for their server and their tool, one for each name", () => {
  const storage = storageOf();
  saveInput(storage, owner, { name: "b", input: { a: 1 } });
  saveInput(storage, owner, { name: " a ", input: {} });
  saveInput(storage, owner, { name: "b", input: { a: 2 } });
  saveInput(storage, { ...owner, server: "other" }, { name: "c", input: {} });
  expect(namedInputs(storage, owner)).toEqual([
    { name: "a", input: {} },
    { name: "b", input: { a: 2 } },
  ]);
  removeInput(storage, owner, "b");
  expect(namedInputs(storage, owner).map(({ name }) => name)).toEqual(["a"]);
});

test("the oldest gives way, and one that is too large or has no name isn't kept", () => {
  const storage = storageOf();
  for (let count = 0; count < 210; count++)
    saveInput(storage, owner, { name: `input ${count}`, input: {} });
  expect(namedInputs(storage, owner)).toHaveLength(200);
  expect(saveInput(storage, owner, { name: "large", input: { a: "x".repeat(2e5) } })).toBe(false);
  expect(saveInput(storage, owner, { name: "  ", input: {} })).toBe(false);
  keepLastInput(storage, "show", { a: 1 });
  keepLastInput(storage, "show", { a: "x".repeat(2e5) });
  expect(lastInput(storage, "show")).toEqual({ a: 1 });
});

test("stored text of another kind is ignored", () => {
  const storage = storageOf();
  storage.texts.set("vitrine-dev-inputs", '[1,null,{"server":"tasks","tool":"show","name":"x"}]');
  storage.texts.set("vitrine-dev-input show", "[]");
  expect(namedInputs(storage, owner)).toEqual([]);
  expect(lastInput(storage, "show")).toBeUndefined();
  expect(saveInput(storage, owner, { name: "y", input: {} })).toBe(true);
});
