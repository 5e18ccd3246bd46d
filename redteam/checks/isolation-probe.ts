import { scriptedView } from "../stage/view-document.ts";

/**
 * The parameters of a probe's first step: its own mark, the other view's, and a server that both may
 * reach. They aren't part of the document, because the document's hash is part of a view's origin.
 */
export interface ProbeParameters {
  readonly mark: string;
  readonly other: string;
  /** The address of a response that browsers may cache; the mark of its reader is appended. */
  readonly cacheable: string;
}

/**
 * What one view found, as text by means. A means connects two views when the text holds the other
 * view's mark; under `windows`, when a window was reached at all.
 */
export interface ProbeFindings {
  readonly means: Readonly<Record<string, string>>;
  readonly windows: Readonly<Record<string, string>>;
}

/** The steps of a probe: the host's page starts each when both views have finished the one before. */
export const PROBE_STEPS = {
  write: "ui/notifications/tool-input",
  read: "ui/notifications/tool-result",
} as const;

/** A view that leaves its mark everywhere it can and then searches for the other view's mark. */
export function probe(): string {
  return scriptedView(runProbe, PROBE_STEPS);
}

function runProbe(steps: { write: string; read: string }): void {
  let [mark, other, cacheable] = ["", "", ""];
  const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
  /** The result as text: opaque origins throw at most of these. */
  const attempt = async (step: () => unknown): Promise<string> => {
    try {
      return String(await Promise.race([step(), pause(2000).then(() => "timeout")]));
    } catch (error) {
      return (error as Error).name;
    }
  };
  // A realm that runs none of the sandbox's own scripts, for what those take away from the view.
  const nested = document.createElement("iframe");
  document.body.append(nested);
  const realm = () => nested.contentWindow as Window & typeof globalThis;

  const received: Record<string, string> = {
    BroadcastChannel: "",
    "storage event": "",
    message: "",
  };
  const receive = (means: string, text: unknown) => {
    received[means] += `${text} `;
  };
  let channel: BroadcastChannel | undefined;
  void attempt(() => {
    channel = new BroadcastChannel("common");
    channel.onmessage = ({ data }) => receive("BroadcastChannel", data);
  });
  addEventListener("storage", ({ key }) => receive("storage event", key));
  const firstName = window.name;
  const firstLength = history.length;
  let ownEntries = 0;
  let worker: SharedWorker | undefined;
  let workerSaw = "";

  const siblings = () => {
    const found: Window[] = [];
    const host = top as Window;
    for (let at = 0; at < host.length; at += 1) {
      const proxy = host[at] as Window;
      found.push(
        proxy,
        ...Array.from({ length: proxy.length }, (_, inner) => proxy[inner] as Window),
      );
    }
    return found.filter((one) => one !== window && one !== parent);
  };
  const writeCookies = (page: Document, name: string) => {
    const labels = location.hostname.split(".");
    const domains = labels.slice(1).map((_, at) => `; domain=${labels.slice(at + 1).join(".")}`);
    const kinds = ["", "; Secure; SameSite=None", "; Secure; SameSite=None; Partitioned"];
    for (const [at, domain] of ["", ...domains].entries()) {
      for (const [kind, attributes] of kinds.entries()) {
        page.cookie = `${name}-${at}-${kind}=1; path=/; max-age=60${domain}${attributes}`;
      }
    }
  };
  const write = () =>
    Promise.all([
      attempt(() => writeCookies(document, mark)),
      attempt(() => writeCookies(realm().document, `${mark}-nested`)),
      attempt(() => {
        const domain = location.hostname.split(".").slice(1).join(".");
        const cookie = { name: `${mark}-store`, value: "1", domain, partitioned: true };
        return (realm() as unknown as { cookieStore: CookieJar }).cookieStore.set(cookie);
      }),
      attempt(() => localStorage.setItem(mark, "1")),
      attempt(() => sessionStorage.setItem(mark, "1")),
      attempt(
        () =>
          new Promise((resolve) => {
            const opening = indexedDB.open(mark);
            opening.onsuccess = opening.onerror = resolve;
          }),
      ),
      attempt(() => caches.open(mark)),
      attempt(async () =>
        (await navigator.storage.getDirectory()).getFileHandle(mark, { create: true }),
      ),
      attempt(() => (navigator as unknown as Buckets).storageBuckets.open(mark)),
      attempt(() => fetch(cacheable + mark)),
      attempt(() => {
        history.pushState({ mark }, "");
        history.pushState({ mark }, "");
        ownEntries = 2;
      }),
      attempt(() => {
        window.name = mark;
      }),
      attempt(() => channel?.postMessage(mark)),
      attempt(() => {
        void navigator.locks.request(mark, () => pause(20_000));
      }),
      attempt(() => {
        const script = `const all=[];onconnect=({ports:[port]})=>{port.onmessage=({data})=>{all.push(data);port.postMessage(all.join())}}`;
        worker = new SharedWorker(`data:text/javascript,${encodeURIComponent(script)}`, "common");
        worker.port.onmessage = ({ data }) => {
          workerSaw += `${data} `;
        };
        worker.port.postMessage(mark);
      }),
    ]);
  const read = async () => {
    worker?.port.postMessage(mark);
    for (const sibling of siblings()) sibling.postMessage(mark, "*", [new MessageChannel().port1]);
    // Events of the other view may still be on their way.
    await pause(400);
    const grown = history.length - firstLength;
    return {
      "document.cookie": await attempt(() => document.cookie),
      "document.cookie of a nested frame": await attempt(() => realm().document.cookie),
      cookieStore: await attempt(async () => {
        const { cookieStore } = realm() as unknown as { cookieStore: CookieJar };
        return (await cookieStore.getAll()).map(({ name }) => name).join();
      }),
      localStorage: await attempt(() => Object.keys(localStorage).join()),
      sessionStorage: await attempt(() => Object.keys(sessionStorage).join()),
      IndexedDB: await attempt(async () =>
        (await indexedDB.databases()).map((entry) => entry.name).join(),
      ),
      "Cache Storage": await attempt(async () => (await caches.keys()).join()),
      "private file system": await attempt(async () => {
        const names: string[] = [];
        const folder = await navigator.storage.getDirectory();
        for await (const entry of folder.keys()) names.push(entry);
        return names.join();
      }),
      "storage buckets": await attempt(async () =>
        (await (navigator as unknown as Buckets).storageBuckets.keys()).join(),
      ),
      // Whether this request is served from the cache is counted by the server.
      "HTTP cache": await attempt(async () => (await fetch(cacheable + other)).status),
      "history.length": grown > ownEntries ? `${grown} entries, also of ${other}` : `${grown}`,
      "history.state": await attempt(() => JSON.stringify(history.state)),
      "window.name": `${firstName} ${window.name}`,
      "a window by its name": await attempt(() => {
        const named = (top as unknown as Record<string, unknown>)[other];
        return open("", other) || named ? other : "none";
      }),
      ...received,
      SharedWorker: workerSaw,
      "Web Locks": await attempt(async () =>
        ((await navigator.locks.query()).held ?? []).map(({ name }) => name).join(),
      ),
    };
  };
  const reach = async () => ({
    "windows of the host": await attempt(() => (top as Window).length),
    "windows of its proxy": await attempt(() => parent.length),
    "an opener": await attempt(() => window.opener),
    "its sibling": await attempt(() => ((top as Window)[1] as Window | undefined)?.document.title),
    "the proxy's document": await attempt(() => parent.document.title),
    "the host's document": await attempt(() => (top as Window).document.title),
  });
  addEventListener("message", async ({ data }) => {
    if (typeof data === "string") receive("message", data);
    if (data?.method === steps.write) {
      ({ mark, other, cacheable } = data.params);
      await write();
      say("written");
    } else if (data?.method === steps.read) {
      say({ means: await read(), windows: await reach() });
    }
  });
  say("ready");

  interface CookieJar {
    set(cookie: object): Promise<void>;
    getAll(): Promise<{ name: string }[]>;
  }
  interface Buckets {
    storageBuckets: { open(name: string): Promise<unknown>; keys(): Promise<string[]> };
  }
}
