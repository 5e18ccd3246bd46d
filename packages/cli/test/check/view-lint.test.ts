import { expect, test } from "vitest";
import { lintView } from "../../src/check/lint/view-lint.ts";

const place = { resource: "ui://x/view.html", tool: "show" };
const HANDSHAKE = 'send("ui/initialize"); send("ui/notifications/initialized");';

function codesOf(html: string, meta: object = {}): string[] {
  return lintView(html, { place, meta }).findings.map(({ code }) => code);
}
function pageOf(script: string, head = ""): string {
  return `<!doctype html>\n<html><head>${head}</head><body><p>x</p>\n<script type="module">\n${HANDSHAKE}\n${script}\n</script></body></html>`;
}

test("a page that asks for nothing has no findings", () => {
  expect(codesOf(pageOf("document.title = 'x';"))).toEqual([]);
});

test.for([
  ["eval('1')", "dynamic-code"],
  ["new Function('return 1')()", "dynamic-code"],
  ["setTimeout('go()', 1)", "dynamic-code"],
  ["import(URL.createObjectURL(blob))", "dynamic-code"],
  ["localStorage.city", "storage"],
  ["window.sessionStorage.getItem('x')", "storage"],
  ["document.cookie = 'x'", "storage"],
  ["window.parent.document.title", "parent-access"],
  ["top.location.href", "parent-access"],
  ["alert('x')", "dialog"],
  ["window.open('https://example.com')", "popup"],
  ["location.href = '/login'", "navigation"],
  ["app.callTool({ name: 'x' })", "tool-call-form"],
  ["app.callServerTool('x', {})", "tool-call-form"],
  ["parent.postMessage(JSON.stringify({}), '*')", "text-message"],
  ["navigator.clipboard.writeText('x')", "permission-undeclared"],
  ["navigator.mediaDevices.getUserMedia({ audio: true })", "permission-undeclared"],
  ["import { App } from 'ext-apps'", "bare-import"],
  ["import './chart.js'", "relative-file"],
  ["new Worker('./worker.js')", "relative-file"],
  ["fetch('https://api.example.com/x')", "origin-undeclared"],
  ["new WebSocket('wss://live.example.com')", "origin-undeclared"],
  ["import('https://esm.sh/three@0.160.0')", "origin-undeclared"],
  ["fetch('http://localhost:3000/api')", "local-address"],
  ["fetch('http://api.example.com/x')", "insecure-address"],
  ["root.style.minHeight = '100vh'", "viewport-height"],
  ["const x = ;", "syntax-error"],
] as const)("the script %s is %s", ([script, code]) => {
  expect(codesOf(pageOf(script))).toContain(code);
});

test.for([
  // Words of a sentence, properties of the author's own, guards.
  ["console.log('do not eval() here, use localStorage')"],
  ["const state = { localStorage: 1 }; state.localStorage"],
  ["try { localStorage.x = 1 } catch {}"],
  ["try { new Function('') } catch {}"],
  ["if (typeof localStorage === 'undefined') x = 1"],
  ["x instanceof Function"],
  ["client.callTool(request, options)"],
  ["dialog.open('x'); page.alert('x'); router.location = 1"],
  ["const svg = 'http://www.w3.org/2000/svg'"],
] as const)("the script %s is nobody's fault", ([script]) => {
  expect(codesOf(pageOf(script))).toEqual([]);
});

test.for([
  ['<script src="https://cdn.example.com/x@1.2.3.js"></script>', "origin-undeclared"],
  [
    '<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter">',
    "origin-undeclared",
  ],
  ["<style>@import 'https://fonts.example.com/x.css';</style>", "origin-undeclared"],
  ['<base href="https://app.example.com/">', "origin-undeclared"],
  ['<script src="https://unpkg.com/vue"></script>', "unpinned"],
  ['<script type="module" src="/assets/index.js"></script>', "relative-file"],
  ['<meta http-equiv="refresh" content="1">', "navigation"],
  ["<style>#root { min-height: 100vh }</style>", "viewport-height"],
] as const)("the markup %s is %s", ([head, code]) => {
  expect(codesOf(pageOf("", head))).toContain(code);
});

test("what is declared is not complained about", () => {
  const html = pageOf(
    "fetch('https://api.example.com/x')",
    '<script src="https://cdn.example.com/x@1.2.3.js"></script>',
  );
  const csp = {
    connectDomains: ["https://*.example.com"],
    resourceDomains: ["https://cdn.example.com"],
  };
  expect(codesOf(html, { csp })).toEqual([]);
});

test("the line to add keeps what is declared already", () => {
  const html = pageOf("fetch('https://b.example.com/x')");
  const [found] = lintView(html, {
    place,
    meta: { csp: { connectDomains: ["https://a.example.com"] } },
  }).findings;
  expect(found?.remedy).toContain(
    'connectDomains: ["https://a.example.com","https://b.example.com"]',
  );
});

test("a finding has its line and column in the page", () => {
  const [found] = lintView(pageOf("  localStorage.x"), { place, meta: {} }).findings;
  expect(found?.place).toMatchObject({ line: 5, column: 3 });
});

test("reports a page without a handshake, unless it loads external scripts", () => {
  const silent = "<!doctype html><html><body><script>document.title = 1</script></body></html>";
  expect(codesOf(silent)).toContain("no-handshake");
  const loading =
    '<!doctype html><html><body><script src="https://x.example.com/a@1.2.3.js"></script></body></html>';
  expect(codesOf(loading)).not.toContain("no-handshake");
});

test("whatever it is given, reading a page ends", () => {
  for (const html of [
    "",
    "<",
    "<script>",
    "\0",
    "<svg><script>x</script></svg>",
    "<p".repeat(5_000),
    "]]>",
  ]) {
    expect(() => lintView(html, { place, meta: {} })).not.toThrow();
  }
});
