import { describe, expect, test } from "vitest";
import { guardDocument } from "../src/guarded-document.ts";
import { DOMAIN, directives, HTML, PROXY, SINGLE, Stage, settings } from "./sandbox-stage.ts";

describe("a View that is held", () => {
  const openBoth = async (html: string, config: ConstructorParameters<typeof Stage>[0] = {}) => {
    const stage = new Stage(config);
    const [held, plain] = [await stage.open({ html, hold: true }), await stage.open({ html })];
    return { stage, held, plain };
  };
  /** The string that the script of a held document was given. */
  const keptIn = (text: string): string => {
    const [, literal = ""] = /\}\)\((".*"), "[^"]*"\)<\/script>$/s.exec(text) ?? [];
    return JSON.parse(literal);
  };

  test.each([
    ["domain", DOMAIN],
    ["single-origin", SINGLE],
  ])(
    "has all headers that it has otherwise, and one address as well, in tier %s",
    async (_tier, origins) => {
      const { stage, held, plain } = await openBoth(HTML, { origins });
      const withoutId = (response: Response): string =>
        JSON.stringify([...response.headers]).replaceAll(/\/[crv]\/[a-z2-7]{32}/g, "");
      const pages = [held.page, plain.page].map(withoutId);
      const views = [await stage.frame(held.viewUrl), await stage.frame(plain.viewUrl)];
      expect(pages[0]).toBe(pages[1]);
      expect(directives(held.page).get("frame-src")?.split(" ")[0]).toBe(held.viewUrl);
      expect(withoutId(views[0] as Response)).toBe(withoutId(views[1] as Response));
      expect(held.htmlHash).toBe(plain.htmlHash);
      expect(held.viewOrigin).toBe(plain.viewOrigin);
      expect(await views[1]?.text()).toBe(guardDocument(HTML));
      const { hold, ...settingsOfHeld } = settings(await held.page.text());
      expect(hold).toBe(true);
      expect(Object.keys(settings(await plain.page.text()))).toEqual(Object.keys(settingsOfHeld));
    },
  );

  test.each([
    ["an end of the script", "<p></script><script>alert(1)</script><!--<script>"],
    ["line separators and other ends of a line", "a\u2028b\u2029c\r\nd\re\nf\u0085g"],
    ["quotes, escapes and controls", "\"'`\\ \\u003c \u0000\u0001\u007f"],
    ["what is not ASCII", "\u00e9 \u{1f600} \ufffe a\ufeff"],
    ["nothing", ""],
  ])("is text in a script, whatever there is in it: %s", async (_what, html) => {
    const { stage, held } = await openBoth(html);
    const text = await (await stage.frame(held.viewUrl)).text();
    expect(keptIn(text)).toBe(guardDocument(html));
    expect(text.split("<")).toHaveLength(4);
    expect(text).not.toMatch(/[\u2028\u2029\0]/);
  });

  test("is without its first byte order mark, as a browser would read it", async () => {
    const { stage, held } = await openBoth("\ufeff\ufeff<p>");
    expect(keptIn(await (await stage.frame(held.viewUrl)).text())).toBe(
      guardDocument("\ufeff\ufeff<p>").slice(1),
    );
  });

  test("accepts messages only from its relay: the script has the proxy's exact origin", async () => {
    const domain = await openBoth(HTML);
    expect(await (await domain.stage.frame(domain.held.viewUrl)).text()).toContain(`, "${PROXY}")`);
    const single = await openBoth(HTML, { origins: SINGLE });
    expect(await (await single.stage.frame(single.held.viewUrl)).text()).toContain(`, "null")`);
  });

  test("is served once as well, and waits ten minutes, or as long as configured", async () => {
    const { stage, held } = await openBoth(HTML);
    expect(held.expires).toBe(stage.now + 600_000);
    stage.now += 599_999;
    expect((await stage.frame(held.proxyUrl)).status).toBe(200);
    const loads = await Promise.all([stage.frame(held.viewUrl), stage.frame(held.viewUrl)]);
    expect(loads.map(({ status }) => status).sort()).toEqual([200, 410]);
    const late = await stage.open({ hold: true });
    stage.now = late.expires;
    for (const url of [late.proxyUrl, late.viewUrl]) {
      expect((await stage.frame(url)).status).toBe(410);
    }
    const short = await openBoth(HTML, { limits: { heldTime: 5 } });
    expect(short.held.expires).toBe(short.stage.now + 5);
  });

  test.each([
    ["`hold` is not exactly `true`", { hold: "yes" as unknown as boolean }, guardDocument(HTML)],
    // Nor can a script guard it, so it is served as it is.
    ["no script may run in it, so none could wait", { hold: true, sandbox: "allow-forms" }, HTML],
  ])("is one as any other if %s", async (_what, view, served) => {
    const stage = new Stage();
    const { page, viewUrl, expires } = await stage.open(view);
    expect(settings(await page.text())).not.toHaveProperty("hold");
    expect(await (await stage.frame(viewUrl)).text()).toBe(served);
    expect(expires).toBe(stage.now + 60_000);
  });
});
