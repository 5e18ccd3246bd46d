import type { ReadResourceResult } from "@vitrine/protocol/apps";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { cdp, userEvent } from "vitest/browser";
import {
  type DownloadItems,
  type DownloadLimits,
  describeDownload,
  downloadFile,
  openLink,
} from "../src/frame/page-actions.ts";
import type { Upstream } from "../src/upstreams/upstream.ts";

const text = (uri: string, content = "a,b"): DownloadItems[number] => ({
  type: "resource",
  resource: { uri, text: content, mimeType: "text/html" },
});
const blob = (uri: string, base64: string): DownloadItems[number] => ({
  type: "resource",
  resource: { uri, blob: base64, mimeType: "text/html" },
});
const link = (uri: string, more = {}): DownloadItems[number] => ({
  type: "resource_link",
  uri,
  name: "a link",
  ...more,
});

/** Downloads are announced by the browser's own process. */
const waitLong = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 8000 });

/** Does something on a real click, whose trust the browser lends for a moment. */
async function onClick<T>(act: () => Promise<T>): Promise<T> {
  const button = document.body.appendChild(document.createElement("button"));
  button.textContent = "act";
  const acted = new Promise<T>((resolve) => {
    button.onclick = () => resolve(act());
  });
  await userEvent.click(button);
  button.remove();
  return acted;
}

describe("openLink", () => {
  // The test opens a page that reports what it can see of its opener.
  const events = new BroadcastChannel("opened");
  const page = new URL("./page-actions-opened.html", import.meta.url).href;

  test("opens a new tab that has neither opener nor referrer (HST-70)", async () => {
    const received = new Promise((resolve) => {
      events.onmessage = ({ data }) => resolve(data);
    });
    expect(await onClick(() => openLink({ url: page }))).toEqual({});
    expect(await received).toEqual({ opener: false, referrer: "", top: true });
  });

  test("opens one window for one click, and gives the reason for refusing a second", async () => {
    const open = vi.spyOn(window, "open");
    const results = await onClick(() =>
      Promise.all([openLink({ url: page }), openLink({ url: page })]),
    );
    expect(results).toEqual([
      {},
      { isError: true, reason: expect.stringContaining("right after a click") },
    ]);
    expect(open).toHaveBeenCalledOnce();
    open.mockRestore();
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vscode://x",
    "https://user@example.com/",
    "blob:https://example.com/1",
    "view-source:https://example.com/",
    "ms-word:ofe|u|https://example.com/",
  ])("refuses %s even on a click", async (url) => {
    const open = vi.spyOn(window, "open").mockReturnValue(null);
    expect(await onClick(() => openLink({ url }))).toMatchObject({ isError: true });
    expect(open).not.toHaveBeenCalled();
    open.mockRestore();
  });
});

describe("downloadFile", () => {
  interface Download {
    suggestedFilename: string;
    url: string;
  }
  const downloads: Download[] = [];
  const record = (download: Download): void => void downloads.push(download);
  interface Options extends DownloadLimits {
    signal?: AbortSignal;
    request?: () => Promise<ReadResourceResult>;
  }
  const save = (contents: DownloadItems, options: Options = {}): Promise<object> => {
    const { request, signal, ...limits } = options;
    const upstream = request && ({ request } as unknown as Upstream);
    return downloadFile(upstream, limits)({ contents }, signal ? { signal } : {});
  };

  beforeAll(async () => {
    cdp().on("Page.downloadWillBegin", record);
    await cdp().send("Page.enable");
  });
  beforeEach(() => {
    downloads.length = 0;
  });
  afterEach(async () => {
    // Chromium drops what is more than ten downloads in a second.
    await new Promise((resolve) => setTimeout(resolve, 120));
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const nothingSaved = async (): Promise<void> => {
    // A download is announced by the browser, not by the click; a later one is the yardstick.
    await save([text("file:///yardstick.txt")]);
    await waitLong(() => expect(downloads.at(-1)?.suggestedFilename).toBe("yardstick.txt"));
    expect(downloads).toHaveLength(1);
  };

  test("saves text under the last segment of its URI, as bytes of no type (HST-72)", async () => {
    expect(await save([text("file:///a/b%20c.csv", "größer")])).toEqual({});
    await waitLong(() => expect(downloads).toHaveLength(1));
    expect(downloads[0]?.suggestedFilename).toBe("b c.csv");
    const response = await fetch(downloads[0]?.url ?? "");
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(await response.text()).toBe("größer");
  });

  test("saves the bytes of a blob", async () => {
    await save([blob("ui://x/pixel.png", btoa("\x89PNG\x00\xff"))]);
    await waitLong(() => expect(downloads).toHaveLength(1));
    const response = await fetch(downloads[0]?.url ?? "");
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([
      0x89, 0x50, 0x4e, 0x47, 0, 0xff,
    ]);
  });

  test.each([
    ["file:///..%2f..%2f.bashrc", "bashrc"],
    ["file:///con", "_con"],
    ["file:///page.html", "page.html.txt"],
    ["file:///setup.lnk", "setup.lnk.txt"],
    ["file:///cod%E2%80%AEgpj.exe", "codgpj.exe.txt"],
  ])("names %s harmlessly (HST-73)", async (uri, name) => {
    expect(describeDownload([text(uri)]).names).toEqual([name]);
    await save([text(uri)]);
    await waitLong(() => expect(downloads[0]?.suggestedFilename).toBe(name));
  });

  test("gives the memory back", async () => {
    const revoke = vi.spyOn(URL, "revokeObjectURL");
    vi.useFakeTimers();
    await save([text("file:///a.txt")]);
    expect(revoke).not.toHaveBeenCalled();
    vi.runAllTimers();
    expect(revoke).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^blob:/));
    vi.useRealTimers();
    await waitLong(() => expect(downloads).toHaveLength(1));
  });

  describe("refuses, and saves nothing,", () => {
    const big = "x".repeat(13 * 2 ** 20);
    const cases: [string, DownloadItems, Options?][] = [
      ["eleven files (HST-74)", Array.from({ length: 11 }, () => text("file:///a.txt"))],
      ["more than 25 MiB together (HST-74)", [text("file:///a", big), text("file:///b", big)]],
      ["what the page allows even less of (HST-74)", [text("file:///a.txt")], { size: 2 }],
      ["a blob that is not base64", [text("file:///a.txt"), blob("file:///b", "%%%")]],
      ["a link, where nobody can read it", [text("file:///a.txt"), link("file:///b")]],
      ["when the View has gone", [text("file:///a.txt")], { signal: AbortSignal.abort() }],
    ];
    test.each(cases)("%s", async (_, items, options) => {
      expect(await save(items, options)).toMatchObject({
        isError: true,
        reason: expect.stringMatching(/\w+/),
      });
      await nothingSaved();
    });
  });

  describe("a link", () => {
    const readAs =
      (...contents: unknown[]) =>
      async () =>
        ({ contents }) as ReadResourceResult;

    test("is read from the Server and saved under the name the user was asked about", async () => {
      const fetched = vi.spyOn(window, "fetch");
      const request = vi.fn(readAs({ uri: "file:///evil.exe", text: "rows" }));
      const { signal } = new AbortController();
      const uri = "https://internal.example/rows.csv";
      expect(await save([link(uri)], { request, signal })).toEqual({});
      expect(request.mock.calls).toEqual([["resources/read", { uri }, { signal }]]);
      expect(fetched).not.toHaveBeenCalled();
      await waitLong(() => expect(downloads[0]?.suggestedFilename).toBe("rows.csv"));
    });

    test.each<[string, () => Promise<ReadResourceResult>]>([
      ["the Server has not", () => Promise.reject(new Error("secret path"))],
      ["holds two things", readAs({ uri: "a", text: "" }, { uri: "b", text: "" })],
      ["holds nothing", readAs()],
      ["holds neither text nor bytes", readAs({ uri: "a" })],
      ["is larger than it said", readAs({ uri: "a", text: "x".repeat(101) })],
    ])("that %s is refused", async (_, request) => {
      const result = await save([link("file:///a", { size: 1 })], { request, size: 100 });
      expect(result).toMatchObject({ isError: true });
      expect(JSON.stringify(result)).not.toContain("secret");
      await nothingSaved();
    });

    test("counts with the size it claims, if that is a number", () => {
      const items = [
        link("a", { size: 5 }),
        link("b", { size: -9 }),
        link("c", { size: Number.NaN }),
      ];
      expect(describeDownload([...items, text("d", "ä"), blob("e", "AAAA")])).toEqual({
        names: ["a", "b", "c", "d", "e"],
        sizes: [5, 0, 0, 2, 3],
        size: 10,
      });
    });
  });
});
