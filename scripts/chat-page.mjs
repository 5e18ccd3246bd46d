// The checks of a chat page of examples/ssr: on the server's HTML, and in a browser.

const SUMMARY = "A table for two is free at eight.";
const PATIENCE = 60_000;

/** Throws unless a server has rendered the conversation, its hooks and the fallback of its view. */
export function checkServerHtml(html, { hasElement }) {
  // Frameworks mark the borders of their nodes with comments.
  const plain = html.replaceAll(/<!--.*?-->/g, "");
  const fallback = hasElement
    ? `<mcp-app><div slot="fallback">${SUMMARY}</div></mcp-app>`
    : `<div>${SUMMARY}</div>`;
  const expected = [
    "<p>A table for tonight, please.</p>",
    "<footer>0 apps have told the model something.</footer>",
    fallback,
  ];
  for (const part of expected) {
    if (!plain.includes(part))
      throw new Error(`The server's HTML doesn't contain ${part}:\n${html}`);
  }
}

/** Uses the page as a user does. Throws if something is missing, or if the console has a complaint. */
export async function checkPage(browser, url) {
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (/^(?:warning|error|assert)$/.test(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (/^(?:http|ws)s?:$/.test(protocol) && !/(?:^|\.)localhost$/.test(hostname)) {
      complaints.push(`The page requested ${request.url()}.`);
    }
  });
  try {
    await page.goto(url);
    await useChat(page);
    // The store has a record now, which the server can't know when it renders.
    await page.reload();
    await untilFooter(page, 1);
    await viewInput(page);
  } catch (error) {
    complaints.unshift(error.message);
  } finally {
    await page.close();
  }
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
}

async function useChat(page) {
  const input = await viewInput(page);
  await untilFooter(page, 0);
  await input.fill("Ada");
  await untilFooter(page, 1);
  await page.getByRole("button", { name: "Move" }).click();
  await page.getByText("Moved to the side.").waitFor({ timeout: PATIENCE });
  const moved = await viewInput(page);
  if (!(await isInside(moved, "aside"))) throw new Error("The view isn't at its new position.");
  const value = await moved.inputValue();
  if (value !== "Ada") throw new Error(`After the move the field contains "${value}", not "Ada".`);
  await untilFooter(page, 1);
}

async function untilFooter(page, count) {
  const text = `${count} apps have told the model something.`;
  await page.locator("footer", { hasText: text }).waitFor({ timeout: PATIENCE });
}

/** The field of the view, as soon as a frame shows it. */
async function viewInput(page) {
  for (const until = Date.now() + PATIENCE; Date.now() < until; await page.waitForTimeout(20)) {
    for (const frame of page.frames().filter((each) => each !== page.mainFrame())) {
      const input = frame.getByLabel("Name");
      if (await input.isVisible().catch(() => false)) return input;
    }
  }
  throw new Error("No frame shows the view's field.");
}

/** Whether the outermost frame around an element is inside of an element of the page. */
async function isInside(locator, selector) {
  let frame = await (await locator.elementHandle()).ownerFrame();
  while (frame.parentFrame()?.parentFrame()) frame = frame.parentFrame();
  return (await frame.frameElement()).evaluate((element, selector) => {
    let outer = element;
    while (outer.getRootNode() instanceof ShadowRoot) outer = outer.getRootNode().host;
    return outer.closest(selector) !== null;
  }, selector);
}
