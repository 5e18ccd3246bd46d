import { scriptedView } from "../stage/view-document.ts";

/** What one view could find out; the strings are names of what both views write and look for. */
export interface Findings {
  origin: string;
  storage: string;
  databases: string;
  caches: string;
  files: string;
  lock: string;
  cookies: string;
  heard: string[];
  worker: string;
  reach: Record<string, string>;
}

/** A view that leaves its mark wherever it can and looks for the other view's. */
export function probe(name: string): string {
  return scriptedView(async (me: string) => {
    const mine = `of-${me}`;
    const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
    /** What came of it, as text: opaque origins throw at most of these. */
    const ask = async (step: () => unknown): Promise<string> => {
      try {
        return String(await Promise.race([step(), pause(1500).then(() => "late")]));
      } catch (error) {
        return (error as Error).name;
      }
    };
    const heard: string[] = [];
    await ask(() => {
      const channel = new BroadcastChannel("common");
      channel.onmessage = ({ data }) => heard.push(`broadcast ${data}`);
      setTimeout(() => channel.postMessage(mine), 500);
    });
    addEventListener("storage", ({ key }) => heard.push(`storage ${key}`));
    addEventListener("message", ({ data }) => {
      if (String(data).startsWith("of-")) heard.push(`message ${data}`);
    });
    Object.assign(window, { secret: mine });
    const lock = ask(
      () =>
        new Promise((resolve) => {
          void navigator.locks.request("common", { ifAvailable: true }, async (held) => {
            resolve(held ? "free" : "held");
            await pause(900);
          });
        }),
    );
    await ask(() => localStorage.setItem(mine, "1"));
    await ask(() => {
      // biome-ignore lint/suspicious/noDocumentCookie: what a hostile view would write
      document.cookie = `${mine}=1; path=/`;
      const site = location.hostname.split(".").slice(-2).join(".");
      // biome-ignore lint/suspicious/noDocumentCookie: tossed to every name below the domain
      document.cookie = `${mine}-site=1; path=/; domain=${site}; Secure; SameSite=None; Partitioned`;
    });
    await ask(
      () =>
        new Promise((resolve) => {
          const opening = indexedDB.open(mine);
          opening.onsuccess = opening.onerror = resolve;
        }),
    );
    await ask(() => caches.open(mine));
    await ask(async () =>
      (await navigator.storage.getDirectory()).getFileHandle(mine, { create: true }),
    );
    await pause(900);
    const script = `onconnect=({ports:[p]})=>p.postMessage(self.seen??"new");self.seen??="of-${me}"`;
    const worker = ask(
      () =>
        new Promise((resolve) => {
          const shared = new SharedWorker(`data:text/javascript,${encodeURIComponent(script)}`);
          shared.port.onmessage = ({ data }) => resolve(data);
          shared.onerror = () => resolve("refused");
        }),
    );
    const siblings = (top as Window).frames;
    say({
      origin: self.origin,
      storage: await ask(() => Object.keys(localStorage).join()),
      databases: await ask(async () =>
        (await indexedDB.databases()).map((entry) => entry.name).join(),
      ),
      caches: await ask(async () => (await caches.keys()).join()),
      files: await ask(async () => {
        const names: string[] = [];
        for await (const entry of (await navigator.storage.getDirectory()).keys()) {
          names.push(entry);
        }
        return names.join();
      }),
      lock: await lock,
      // Cookies for the whole domain are tossed to siblings until it is on the Public Suffix List;
      // the sandbox's server ignores all of them, which `plain-answers` shows.
      cookies: await ask(() => document.cookie.replaceAll(/of-\w+-site=1(; )?/g, "")),
      worker: await worker,
      reach: {
        "windows of the host": await ask(() => siblings.length),
        "windows of its proxy": await ask(() => parent.length),
        "an opener": await ask(() => window.opener),
        "its sibling": await ask(() => (siblings[1] as Window | undefined)?.document.title),
        "the proxy's document": await ask(() => parent.document.title),
        "the host's document": await ask(() => (top as Window).document.title),
      },
      heard,
    });
  }, name);
}
