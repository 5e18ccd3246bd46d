// Documents that find out what it is like to be shown, and tell once. What they find must be the same
// whether they were held or not; `shows` is what must be in it, so that no two failures pass for
// likeness.

/** One document of the table. */
export interface Probe {
  what: string;
  html: string;
  shows: Record<string, unknown>;
}

const TOOLS = `<script>
  const done = (params) => parent.postMessage({ jsonrpc: "2.0", method: "test/done", params }, "*");
  const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const attempt = async (run) => { try { return await run(); } catch ({ name }) { return name; } };
  const next = (target, name) => new Promise((resolve) => {
    target.addEventListener(name, resolve, { once: true });
  });
</script>`;

const page = (body: string, head = ""): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8">${TOOLS}${head}</head><body>${body}`;
const script = (text: string): string => `<script>(async () => { ${text} })();</script>`;
const bare = (start: string): string =>
  `${start}<title>x</title>${TOOLS}<p>x<script>done({
    mode: document.compatMode, html: document.documentElement.outerHTML })</script>`;

/** What of a View works by its being a document of its own; those of the compatibility list first. */
export const PROBES: Probe[] = [
  {
    what: "modules, workers and code of all kinds",
    html: page(`<script type="importmap">
      { "imports": { "thing": "data:text/javascript,export default 'mapped'" } }</script>
      <script type="module">
        import thing from "thing";
        const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        const answer = (worker) => new Promise((resolve) => {
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = () => resolve("error");
        });
        const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
        done({
          thing,
          url: import.meta.url,
          current: document.currentScript,
          awaited: await Promise.resolve("awaited"),
          imported: (await import(blob("export default 1"))).default,
          worker: await answer(new Worker(blob("postMessage(1)"))),
          moduleWorker: await answer(
            new Worker(blob("postMessage(typeof import.meta)"), { type: "module" }),
          ),
          evaluated: await attempt(() => new Function("return 1")()),
          compiled: await attempt(async () => (await WebAssembly.compile(wasm)).constructor.name),
          fetched: await attempt(async () => (await fetch("data:,x")).text()),
          drawn: document.createElement("canvas").toDataURL().slice(0, 22),
        });
      </script>`),
    shows: { thing: "mapped", imported: 1, worker: 1, moduleWorker: "object", compiled: "Module" },
  },
  {
    what: "storage",
    html: page(
      script(`
        const keep = (storage) => { storage.setItem("a", "1"); return storage.getItem("a"); };
        const open = (resolve) => {
          const request = indexedDB.open("a");
          request.onsuccess = request.onerror = ({ type }) => resolve(type);
        };
        done({
          local: await attempt(() => keep(localStorage)),
          session: await attempt(() => keep(sessionStorage)),
          cookie: await attempt(() => { document.cookie = "a=1"; return document.cookie; }),
          database: await attempt(() => new Promise(open)),
          caches: await attempt(async () => Array.isArray(await caches.keys())),
          lock: await attempt(() => navigator.locks.request("a", () => "locked")),
          serviceWorker: await attempt(() => navigator.serviceWorker.register("/sw.js")),
        });
      `),
    ),
    shows: { local: "1", database: "success", serviceWorker: "SecurityError" },
  },
  {
    what: "links, history and addresses",
    html: page(
      `<a href="#part">x</a><div id="part">part</div>${script(`
        await next(window, "load");
        document.querySelector("a").click();
        const { newURL } = await next(window, "hashchange");
        const target = document.querySelector(":target")?.id;
        const pushed = [];
        for (const url of ["#a", "?b", "/path", "https://blocked.example/"]) {
          pushed.push(await attempt(() => history.pushState({ url }, "", url) ?? location.href));
        }
        history.back();
        const { state } = await next(window, "popstate");
        const relative = new URL("x", location.href).href;
        done({ newURL, target, pushed, state, relative, entries: history.length });
      `)}`,
    ),
    shows: { target: "part", state: { url: "?b" } },
  },
  {
    what: "a form's submit event",
    html: page(
      `<form action="https://blocked.example/"><button>x</button></form>${script(`
        document.forms[0].addEventListener("submit", (event) => {
          event.preventDefault();
          done({ submitted: event.isTrusted });
        });
        document.forms[0].requestSubmit();
      `)}`,
    ),
    shows: { submitted: true },
  },
  {
    what: "the policy of its headers",
    html: page(
      `<img src="https://blocked.example/a.png"><script src="https://blocked.example/a.js"></script>
      <base href="https://blocked.example/">${script(`
        const violations = [];
        document.addEventListener("securitypolicyviolation", (event) => {
          const { effectiveDirective, blockedURI, disposition, originalPolicy } = event;
          violations.push([effectiveDirective, blockedURI, disposition, originalPolicy].join());
        });
        const image = new Image();
        image.src = "https://blocked.example/late.png";
        const frame = document.createElement("iframe");
        frame.srcdoc = "<script>fetch('https://blocked.example/inner')" +
          ".catch(() => parent.postMessage('blocked', '*'))<\\/script>";
        document.body.append(frame);
        const results = {
          inner: (await next(window, "message")).data,
          fetched: await attempt(() => fetch("https://blocked.example/")),
          evaluated: await attempt(() => (0, eval)("1")),
          connected: await attempt(() => new RTCPeerConnection() && "made"),
          worker: await attempt(() => new Worker("https://blocked.example/w.js") && "made"),
        };
        await rest(200);
        const features = document.featurePolicy?.allowedFeatures().sort();
        done({ ...results, violations: violations.sort(), base: document.baseURI, features });
      `)}`,
    ),
    shows: { inner: "blocked", fetched: "TypeError", evaluated: "EvalError" },
  },
  {
    what: "a policy of its own",
    html: page(
      script(`done({ fetched: await attempt(() => fetch("data:,x")) })`),
      `<meta http-equiv="content-security-policy" content="connect-src 'none'">`,
    ),
    shows: { fetched: "TypeError" },
  },
  {
    what: "the globals, its first script being the first of all",
    html: `<!doctype html><script>parent.postMessage({ jsonrpc: "2.0", method: "test/done", params: {
      keys: Object.keys(window),
      names: Object.getOwnPropertyNames(window).concat(Object.getOwnPropertyNames(document)),
      symbols: Object.getOwnPropertySymbols(window).map(String),
      html: document.documentElement.outerHTML.slice(0, 20),
      timer: setTimeout(() => {}),
    } }, "*")</script>`,
    shows: { html: "<html><head><script>", timer: 1 },
  },
  {
    what: "address, origin and kind of the document",
    html: page(`<script>
      const { documentURI, baseURI, domain, referrer, compatMode, characterSet } = document;
      const { contentType, readyState, cookie, currentScript, scripts } = document;
      done({
        documentURI, baseURI, domain, referrer, compatMode, characterSet, contentType, readyState,
        cookie, scripts: scripts.length, isCurrent: currentScript === scripts[1], address: document.URL,
        doctype: document.doctype?.name, href: location.href, origin, name, frameElement, opener,
        isSecureContext, crossOriginIsolated, cluster: self.originAgentCluster, frames: length,
        state: history.state, entries: history.length, ancestors: [...location.ancestorOrigins],
      });
    </script>`),
    shows: {
      isCurrent: true,
      readyState: "loading",
      characterSet: "UTF-8",
      compatMode: "CSS1Compat",
    },
  },
  { what: "no doctype", html: bare(""), shows: { mode: "BackCompat" } },
  { what: "a byte order mark", html: bare("\ufeff<!doctype html>"), shows: { mode: "CSS1Compat" } },
  { what: "two of them", html: bare("\ufeff\ufeff<!doctype html>"), shows: { mode: "BackCompat" } },
  {
    what: "text of every kind",
    html: page(
      `<p>\0 \u0001 \r\n \r x \u2028 \u2029 \u0085 \u00e9 \u{1f600} \ufeff \ufffe &lt; \\u003c \\n " ' \`</p>
      <pre>\n\n2</pre><!-- <script> --><noscript><p>no</p></noscript><svg><script>1</script></svg>
      <table>foster<tr><td>x</table><template><p>t</p></template>
      <script>"<!--<script>"; /* </script>-->*/</script><script>"\u2028\\u003c/script>"</script>
      ${script(`
        await next(window, "load");
        const html = document.documentElement.outerHTML;
        done({ html, isWhole: html.includes("never closed") });
      `)}
      <textarea>\nnever closed, as all of this`,
    ),
    shows: { isWhole: true },
  },
  {
    what: "shadow roots in markup, elements of its own and the first focus",
    html: page(
      `<div id="host"><template shadowrootmode="open"><b>in</b></template></div><input autofocus>
      <x-a one="1">text</x-a>${script(`
        await next(window, "load");
        await rest(50);
        const { shadowRoot } = document.querySelector("#host");
        done({ shadow: shadowRoot?.innerHTML, log, active: document.activeElement?.tagName });
      `)}`,
      `<script>
        const log = [];
        customElements.define("x-a", class extends HTMLElement {
          constructor() { super(); log.push(this.attributes.length); }
          connectedCallback() { log.push(this.childNodes.length); }
        });
      </script>`,
    ),
    shows: { shadow: "<b>in</b>", log: [0, 0] },
  },
  {
    what: "what its scripts write, open and close while it is read",
    html: page(
      `<p>1</p><script>document.write("<p>2</p><script>document.write('<p>3</p>')<\\/script>")</script>
      <script>document.close(); document.open();</script><p>4</p>
      <script>document.write("<p>5</p>"); document.close()</script><p>6</p>
      ${script(`
        await next(window, "load");
        done({ text: [...document.querySelectorAll("p")].map((line) => line.textContent) });
      `)}`,
    ),
    shows: { text: ["1", "2", "3", "4", "5", "6"] },
  },
  {
    what: "that what was promised is due before the end of the document",
    html: page(`<script>(async () => {
      for (let at = 0; at < 20; at += 1) await null;
      document.addEventListener("DOMContentLoaded", () => done({ inTime: true }));
      addEventListener("load", () => done({ inTime: false }));
    })()</script>`),
    shows: { inTime: true },
  },
  {
    what: "the order of its scripts and events",
    html: `<!doctype html><html><head>${TOOLS}<script>
        const order = [];
        const log = (what) => order.push(what);
        document.addEventListener("readystatechange", () => {
          if (document.readyState === "interactive") log("interactive");
        });
        document.addEventListener("DOMContentLoaded", () => log("read"));
        for (const name of ["DOMContentLoaded", "load", "pageshow"]) {
          addEventListener(name, ({ isTrusted, persisted }) => log([name, isTrusted, persisted].join()));
        }
      </script>
      <script type="module">log("module " + document.currentScript)</script>
      <script defer src="data:text/javascript,log('deferred')"></script>
      <script src="data:text/javascript,log('blocking ' %2b document.body)"></script>
      <script>log("inline " + document.currentScript.nextElementSibling)</script>
      </head><body onload="log('body loaded')"><script>log("in body")</script>
      ${script(`await next(window, "load"); await rest(100); done({ order, at: document.readyState })`)}`,
    shows: {
      at: "complete",
      order: [
        "blocking null",
        "inline null",
        "in body",
        "interactive",
        "module null",
        "deferred",
        "read",
        "DOMContentLoaded,true,",
        "load,true,",
        "body loaded",
        "pageshow,true,false",
      ],
    },
  },
];

/**
 * What differs, because the text comes from a script: promises are kept after the last script that
 * was written at once and not between two, errors do not say in which line of the document they are,
 * and Chromium calls a document complete before its modules have run.
 */
export const DIFFERENCES: (Omit<Probe, "shows"> & { held: unknown; plain: unknown })[] = [
  {
    what: "promises between two scripts",
    html: page(`<script>let at = "first"; Promise.resolve().then(() => { at = "kept"; })</script>
      <script>done({ at })</script>`),
    held: { at: "first" },
    plain: { at: "kept" },
  },
  {
    what: "the place of an error",
    html: page(`\n<script>
      addEventListener("error", ({ filename, lineno }) => done({ filename: filename !== "", lineno }));
      throw new Error("x");</script>`),
    held: { filename: false, lineno: 3 },
    plain: { filename: true, lineno: 11 },
  },
  {
    what: "the state of the document in a module",
    html: page(`<script type="module">done({ state: document.readyState })</script>`),
    held: { state: "complete" },
    plain: { state: "interactive" },
  },
];
