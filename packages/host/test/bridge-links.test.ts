import { afterEach, describe, expect, test, vi } from "vitest";
import type { AppBridge } from "../src/bridge/bridge.ts";
import type { ConsentRequest } from "../src/consent/consent.ts";
import { createConsent } from "../src/consent/consent-memory.ts";
import { start } from "./raw-view.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const yes = (): boolean => true;
const file = (uri: string, body = "x"): object => ({
  type: "resource",
  resource: { uri, text: body },
});

describe("ui/open-link", () => {
  const setup = (options = {}) => {
    const onopenlink = vi.fn(() => ({}));
    const prepare = (bridge: AppBridge): void => {
      bridge.onopenlink = onopenlink;
    };
    return { onopenlink, scene: start({ prepare, consent: yes, ...options }) };
  };

  test("reaches the handler with the address as it was read (HST-70)", async () => {
    const { onopenlink, scene } = setup();
    const { view } = await scene;
    expect(await view.get("ui/open-link", { url: "HTTPS://Exämple.com/a?b" })).toEqual({});
    expect(onopenlink).toHaveBeenCalledWith(
      { url: "https://xn--exmple-cua.com/a?b" },
      expect.anything(),
    );
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "smb://host/share",
    "vscode://x",
    "https://user@evil.example",
    "https://localhost/admin",
    "https://192.168.1.1/",
    "https://exa\u202emple.com",
    "not a url",
  ])("%s never reaches the handler, and the error gives the reason (HST-70)", async (url) => {
    const { onopenlink, scene } = setup();
    const { view, said } = await scene;
    expect(await view.get("ui/open-link", { url })).toEqual({
      isError: true,
      message: expect.any(String),
    });
    expect(onopenlink).not.toHaveBeenCalled();
    expect(said("refused")).toHaveLength(1);
  });

  test("origins that the operator calls the Host's come on top of the page's own", async () => {
    vi.stubGlobal("location", { origin: "https://chat.example.com" });
    const links = { ownOrigins: ["https://views.example.net"] };
    for (const url of ["https://chat.example.com/logout", "https://views.example.net/v/1"]) {
      const { onopenlink, scene } = setup({ links });
      expect(await (await scene).view.get("ui/open-link", { url })).toMatchObject({
        isError: true,
      });
      expect(onopenlink).not.toHaveBeenCalled();
    }
  });

  test("the Host's own origin is not the View's to open", async () => {
    vi.stubGlobal("location", { origin: "https://chat.example" });
    const { onopenlink, scene } = setup();
    const { view } = await scene;
    expect(await view.get("ui/open-link", { url: "https://chat.example/logout" })).toMatchObject({
      isError: true,
    });
    expect(onopenlink).not.toHaveBeenCalled();
  });

  test("link options widen and narrow what may be opened", async () => {
    const { scene } = setup({ links: { privateHosts: true, httpsOnly: true } });
    const { view } = await scene;
    expect(await view.get("ui/open-link", { url: "https://localhost/" })).toEqual({});
    expect(await view.get("ui/open-link", { url: "http://a.example/" })).toMatchObject({
      isError: true,
    });
  });

  test("needs a click where the channel can tell, and consent that sees the host", async () => {
    const asked: ConsentRequest[] = [];
    const { onopenlink, scene } = setup({
      consent: (request: ConsentRequest) => {
        asked.push(request);
        return false;
      },
    });
    const { view } = await scene;
    vi.useFakeTimers();
    view.userActive = false;
    expect(await view.get("ui/open-link", { url: "https://a.example" })).toMatchObject({
      isError: true,
      message: expect.stringContaining("click"),
    });
    expect(asked).toEqual([]);
    view.userActive = true;
    vi.advanceTimersByTime(1001);
    expect(await view.get("ui/open-link", { url: "https://a.example/x" })).toMatchObject({
      isError: true,
    });
    expect(asked).toMatchObject([
      { kind: "link", link: { href: "https://a.example/x", host: "a.example" }, userActive: true },
    ]);
    expect(onopenlink).not.toHaveBeenCalled();
  });

  test("gestures may be demanded where nobody can tell, or not at all", async () => {
    const strict = setup({ gestures: true });
    expect(
      await (await strict.scene).view.get("ui/open-link", { url: "https://a.example" }),
    ).toMatchObject({ isError: true });
    const loose = setup({ gestures: false });
    const { view } = await loose.scene;
    view.userActive = false;
    expect(await view.get("ui/open-link", { url: "https://a.example" })).toEqual({});
  });

  test("one a second", async () => {
    const { onopenlink, scene } = setup();
    const { view } = await scene;
    vi.useFakeTimers();
    await view.get("ui/open-link", { url: "https://a.example" });
    expect(await view.get("ui/open-link", { url: "https://b.example" })).toMatchObject({
      isError: true,
    });
    vi.advanceTimersByTime(1001);
    await view.get("ui/open-link", { url: "https://c.example" });
    expect(onopenlink).toHaveBeenCalledTimes(2);
  });

  test("hosts of the operator's list are not asked about", async () => {
    const ask = vi.fn(yes);
    const { scene } = setup({ consent: createConsent(ask, { trustedHosts: ["docs.example"] }) });
    const { view } = await scene;
    expect(await view.get("ui/open-link", { url: "https://docs.example/a" })).toEqual({});
    expect(ask).not.toHaveBeenCalled();
  });

  test("without a handler is an unknown method, even if the capability is declared", async () => {
    const { view } = await start({ capabilities: { openLinks: {} } });
    await expect(view.get("ui/open-link", { url: "https://a.example" })).rejects.toMatchObject({
      code: -32601,
    });
  });
});

describe("ui/download-file", () => {
  const setup = (options = {}) => {
    const ondownloadfile = vi.fn(async (_params: unknown) => ({}));
    const prepare = (bridge: AppBridge): void => {
      bridge.ondownloadfile = ondownloadfile;
    };
    return { ondownloadfile, scene: start({ prepare, consent: yes, ...options }) };
  };

  test("asks first, with the names as they will be saved (HST-71, HST-72, HST-73)", async () => {
    const asked: ConsentRequest[] = [];
    let allow = false;
    const { ondownloadfile, scene } = setup({
      consent: (request: ConsentRequest) => {
        asked.push(request);
        return allow;
      },
    });
    const { view } = await scene;
    vi.useFakeTimers();
    const contents = [
      file("file:///a/b%20c.json", "1234"),
      file("file:///x/..%2f..%2f.bashrc"),
      file("file:///con.txt"),
    ];
    expect(await view.get("ui/download-file", { contents })).toMatchObject({ isError: true });
    expect(asked).toMatchObject([
      { kind: "download", names: ["b c.json", "bashrc", "_con.txt"], size: 6 },
    ]);
    expect(ondownloadfile).not.toHaveBeenCalled();
    allow = true;
    vi.advanceTimersByTime(1001);
    expect(await view.get("ui/download-file", { contents })).toEqual({});
    expect(ondownloadfile.mock.calls[0]?.[0]).toEqual({ contents });
  });

  test("ten files, and no more than 25 MiB of them (HST-74)", async () => {
    const { ondownloadfile, scene } = setup();
    const { view } = await scene;
    vi.useFakeTimers();
    const many = Array.from({ length: 11 }, (_, n) => file(`file:///${n}`));
    const link = { type: "resource_link", uri: "file:///big", name: "big", size: 26 * 2 ** 20 };
    for (const contents of [many, [link]]) {
      expect(await view.get("ui/download-file", { contents })).toMatchObject({
        isError: true,
        message: expect.stringContaining("10 files"),
      });
      vi.advanceTimersByTime(1001);
    }
    expect(ondownloadfile).not.toHaveBeenCalled();
  });

  test("needs a click where the channel can tell", async () => {
    const { scene } = setup();
    const { view } = await scene;
    view.userActive = false;
    expect(await view.get("ui/download-file", { contents: [file("file:///a")] })).toMatchObject({
      isError: true,
    });
  });
});
