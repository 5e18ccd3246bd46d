import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openScene } from "./scene.ts";
import { openStage, type Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 40_000, hookTimeout: 30_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Describes the document after it has loaded. */
const REPORT = `<script>addEventListener("load", () => {
  const { compatMode, doctype, documentElement, childNodes, scripts } = document;
  parent.postMessage({ jsonrpc: "2.0", method: "test/done", params: {
    compatMode, doctype: doctype?.publicId, html: documentElement.outerHTML,
    nodes: [...childNodes].map(({ nodeName }) => nodeName), scripts: scripts.length,
    keys: Object.keys(window), timer: setTimeout(() => {}),
  } }, "*");
});</script>`;

test.each([
  ["no doctype", `<p>x</p>${REPORT}`],
  [
    "a head with attributes",
    `<!doctype html>\n<html lang="en">\n<head id="h">\n<title>x</title>${REPORT}`,
  ],
  ["no head", `<!doctype html><html class=a><body class=b>${REPORT}`],
  [
    "comments everywhere",
    `<!-- 1 --><!doctype html><!-- 2 --><html><!-- 3 --><head><!-- 4 -->${REPORT}`,
  ],
  ["a doctype after a processing instruction", `<?xml version="1.0"?><!doctype html>${REPORT}<p>x`],
  [
    "a doctype of the almost standard mode",
    `<!doctype html public "-//W3C//DTD XHTML 1.0 Transitional//EN" "x">${REPORT}<p>x`,
  ],
  ["a frame set", `<!doctype html><html><head>${REPORT}</head><frameset><frame></frameset>`],
])("the guard leaves no trace in a document with %s", async (_what, html) => {
  const show = async (): Promise<unknown> =>
    (await openScene(stage, { mode: "port", html })).outcome();
  const guarded = await show();
  stage.weaken({ bodies: { view: html } });
  const plain = await show();
  stage.weaken({});
  expect(guarded).toEqual(plain);
  expect(guarded).toMatchObject({ scripts: 1, timer: 1 });
});
