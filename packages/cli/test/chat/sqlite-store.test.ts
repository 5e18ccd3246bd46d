import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { defaultDataFolder, pageKey } from "../../src/chat/store/data-folder.ts";
import { openSqliteStore } from "../../src/chat/store/sqlite-store.ts";
import { testConversationStore } from "./conversation-store-contract.ts";

testConversationStore("SQLite in memory", (now) => openSqliteStore(":memory:", { now }));

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-store-"));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

testConversationStore("SQLite in a file", (now) =>
  openSqliteStore(join(newFolder(), "conversations.db"), { now }),
);

describe("the data folder", () => {
  it.skipIf(process.platform === "win32")("can be read by its user alone", () => {
    const folder = join(newFolder(), "deep", "chat");
    const store = openSqliteStore(join(folder, "conversations.db"));
    store.save("a", [{ id: "1", role: "user", parts: [{ type: "text", text: "x" }] }]);
    pageKey(folder);
    const mode = (name: string): string => (statSync(join(folder, name)).mode & 0o777).toString(8);
    expect(mode(".")).toBe("700");
    for (const name of ["conversations.db", "conversations.db-wal", "page.key"])
      expect(mode(name)).toBe("600");
    store.close();
  });

  it("keeps everything when the chat is started again", () => {
    const folder = newFolder();
    const file = join(folder, "conversations.db");
    const first = openSqliteStore(file);
    first.save("a", [{ id: "1", role: "user", parts: [{ type: "text", text: "x" }] }]);
    first.close();
    first.close();
    const second = openSqliteStore(file);
    expect(second.list()).toHaveLength(1);
    second.close();
    expect(pageKey(folder)).toBe(pageKey(folder));
  });

  it("replaces a damaged secret, and explains a damaged database", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "page.key"), "short");
    expect(pageKey(folder)).toHaveLength(43);
    writeFileSync(join(folder, "conversations.db"), "not a database, but a text of some length");
    expect(() => openSqliteStore(join(folder, "conversations.db"))).toThrow(/--data/);
  });

  it("is in the user's own state folder", () => {
    expect(defaultDataFolder({ XDG_STATE_HOME: "/state" }, "linux")).toBe(
      join("/state", "vitrine", "chat"),
    );
    expect(defaultDataFolder({ LOCALAPPDATA: "C:\\Data" }, "win32")).toContain("vitrine");
  });
});
