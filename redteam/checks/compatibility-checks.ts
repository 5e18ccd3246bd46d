import { scriptedView, viewDocument } from "../stage/view-document.ts";
import { type Check, hasSaid, spoken, unless, unlessTried } from "./check.ts";

// (module (func (export "a") (result i32) i32.const 42))
const WASM = "AGFzbQEAAAABBQFgAAF/AwIBAAcFAQFhAAAKBgEEAEEqCw==";

/** Honest apps: a sandbox that breaks them is switched off by the next person. */
export const COMPATIBILITY_CHECKS: readonly Check[] = [
  {
    id: "honest-app",
    title: "modules, wasm, workers, WebGL, storage, links, history and forms work",
    entries: [],
    stages: ["tier-1", "tier-2"],
    quick: true,
    async run(scene) {
      const head = `<script type="importmap">{"imports":{"seven":"data:text/javascript,export default 7"}}</script>`;
      const body = `<form id="form"><button id="button">go</button></form><a id="link" href="#section">link</a><script type="module">import seven from "seven";window.moduleRan=seven===7</script>`;
      const html = head + body + scriptedView(honestApp, WASM);
      const host = await scene.open([{ name: "view", server: "honest", html }]);
      const log = await host.until((lines) => hasSaid(lines, "done"), 15_000);
      const results = spoken(log).filter((data) => data !== "done") as [string, unknown][];
      return [
        ...unlessTried(hasSaid(log, "done"), "the app did not finish"),
        ...unless(results.length >= 24, `only ${results.length} features were tried`),
        ...results.flatMap(([name, outcome]) => unless(outcome === "ok", `${name}: ${outcome}`)),
      ];
    },
  },
  {
    id: "honest-app-one-origin",
    title: "on one origin scripts, wasm, workers, WebGL, links and forms work without storage",
    entries: [70],
    stages: ["tier-3"],
    async run(scene) {
      const html = `<form id="form"><button id="button">go</button></form><a id="link" href="#section">link</a><script type="module">window.moduleRan=true</script>${scriptedView(honestApp, WASM)}`;
      const host = await scene.open([{ name: "view", server: "honest", html }]);
      const log = await host.until((lines) => hasSaid(lines, "done"), 15_000);
      const results = spoken(log).filter((data) => data !== "done") as [string, unknown][];
      // Features that need an origin can't work without one; that is a limit of this tier.
      const needsOrigin = ["localStorage", "sessionStorage", "IndexedDB", "caches", "OPFS"];
      const priced = [...needsOrigin, "locks", "module blob worker", "BroadcastChannel"];
      return [
        ...unlessTried(hasSaid(log, "done"), "the app did not finish"),
        ...results
          .filter(([name]) => !priced.includes(name))
          .flatMap(([name, outcome]) => unless(outcome === "ok", `${name}: ${outcome}`)),
      ];
    },
  },
  {
    id: "declared-resources",
    title: "a declared script, style and image load",
    entries: [],
    stages: ["tier-1", "tier-2"],
    async run(scene) {
      const declared = await scene.trap();
      const html = `<script src="${declared.declarable}/js" onload="window.loaded=true"></script><link rel="stylesheet" href="${declared.declarable}/css"><img src="${declared.declarable}/img">${viewDocument(`addEventListener("load",()=>say(window.loaded===true?"loaded":"missing"))`)}`;
      const csp = { resourceDomains: [declared.declarable] };
      const host = await scene.open([{ name: "view", server: declared.cell, html, csp }]);
      const log = await host.until((lines) => spoken(lines).length > 0);
      const paths = new Set(
        scene.laboratory.attacker.requests
          .filter(({ cell }) => cell === declared.cell)
          .map(({ path }) => path),
      );
      return [
        ...unless(hasSaid(log, "loaded"), "the declared script did not run"),
        ...["/js", "/css", "/img"].flatMap((path) => unless(paths.has(path), `${path} not asked`)),
      ];
    },
  },
];

async function honestApp(wasm: string): Promise<void> {
  const script = (text: string) =>
    URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
  const tryOut = async (name: string, feature: () => unknown) => {
    try {
      const outcome = await Promise.race([feature(), pause(3000).then(() => "late")]);
      say([name, outcome === true ? "ok" : String(outcome)]);
    } catch (error) {
      say([name, String(error).slice(0, 120)]);
    }
  };
  const answer = (worker: Worker) =>
    new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = () => resolve("worker error");
    });
  const bytes = Uint8Array.from(atob(wasm), (character) => character.charCodeAt(0));
  await new Promise((resolve) => addEventListener("load", resolve));

  await tryOut("module", () => (window as Window & { moduleRan?: boolean }).moduleRan);
  await tryOut("blob import", async () => (await import(script("export const a=1"))).a === 1);
  await tryOut("wasm", async () => {
    const { instance } = await WebAssembly.instantiate(bytes);
    return (instance.exports.a as () => number)() === 42;
  });
  await tryOut("blob worker", () => answer(new Worker(script("postMessage(true)"))));
  await tryOut("module blob worker", () =>
    answer(new Worker(script("postMessage(true)"), { type: "module" })),
  );
  await tryOut("wasm in a worker", () =>
    answer(
      new Worker(
        script(
          `WebAssembly.instantiate(Uint8Array.from(atob("${wasm}"),c=>c.charCodeAt(0))).then(r=>postMessage(r.instance.exports.a()===42),e=>postMessage(e.message))`,
        ),
      ),
    ),
  );
  await tryOut("WebGL", () => {
    const gl = document
      .createElement("canvas")
      .getContext("webgl", { preserveDrawingBuffer: true });
    if (!gl) return "no context";
    gl.clearColor(1, 0, 0, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return pixel.join() === "255,0,0,255";
  });
  await tryOut("blob image to canvas", async () => {
    const canvas = document.createElement("canvas");
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    const image = new Image();
    image.src = URL.createObjectURL(blob as Blob);
    await image.decode();
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return canvas.toDataURL().startsWith("data:image/png");
  });
  await tryOut("fetch blob:", async () => (await (await fetch(script("hi"))).text()) === "hi");
  await tryOut("fetch data:", async () => (await (await fetch("data:,hi")).text()) === "hi");
  await tryOut("localStorage", () => {
    localStorage.setItem("key", "value");
    return localStorage.getItem("key") === "value";
  });
  await tryOut("sessionStorage", () => {
    sessionStorage.setItem("key", "value");
    return sessionStorage.getItem("key") === "value";
  });
  await tryOut(
    "IndexedDB",
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open("base");
        opening.onsuccess = () => resolve(true);
        opening.onerror = () => resolve("refused");
      }),
  );
  await tryOut("caches", async () => Boolean(await caches.open("cache")));
  await tryOut("OPFS", async () => Boolean(await navigator.storage.getDirectory()));
  await tryOut("locks", () => navigator.locks.request("lock", () => true));
  await tryOut("BroadcastChannel", () => Boolean(new BroadcastChannel("channel")));
  await tryOut("crypto.subtle", () => isSecureContext && Boolean(crypto.subtle));
  await tryOut("# link", async () => {
    (document.getElementById("link") as HTMLElement).click();
    await pause(100);
    return location.hash === "#section";
  });
  await tryOut("pushState #", () => {
    history.pushState({}, "", "#state");
    return location.hash === "#state";
  });
  await tryOut("pushState ?", () => {
    history.pushState({}, "", "?query=1");
    return location.search === "?query=1";
  });
  await tryOut("pushState path", () => {
    history.pushState({}, "", "/deep/path");
    return location.pathname === "/deep/path";
  });
  await tryOut("relative URL", () => new URL("file.json", location.href).href.endsWith(".json"));
  await tryOut(
    "submit event",
    () =>
      new Promise((resolve) => {
        document.getElementById("form")?.addEventListener("submit", (event) => {
          event.preventDefault();
          resolve(true);
        });
        document.getElementById("button")?.click();
      }),
  );
  await tryOut("dialog element", () => {
    const dialog = document.createElement("dialog");
    document.body.append(dialog);
    dialog.showModal();
    dialog.close();
    return true;
  });
  await tryOut("nested srcdoc frame", () => {
    const frame = document.createElement("iframe");
    frame.srcdoc = "<p>nested";
    document.body.append(frame);
    return new Promise((resolve) => {
      frame.onload = () => resolve(true);
    });
  });
  say("done");
}
