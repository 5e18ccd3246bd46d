import { servePort } from "./remote-object.ts";

/** Hands and eyes in a page that was written without a thought of tests. */
export class PageDriver {
  click(selector: string): void {
    document.querySelector<HTMLElement>(selector)?.click();
  }

  /** Waits for two frames, in which the page does what it has put off. */
  async rest(): Promise<void> {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  }

  /** The text of the page, one line per text node, without its scripts and styles. */
  text(): string {
    const lines: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { parentElement, nodeValue } = texts.currentNode;
      const line = nodeValue?.trim();
      if (line && !parentElement?.matches("script, style")) lines.push(line);
    }
    return lines.join("\n");
  }

  /** What the host's styles made of the document. */
  look(): Record<string, string> {
    const { dataset, style } = document.documentElement;
    const fonts = document.getElementById("__mcp-host-fonts")?.textContent ?? "";
    return { theme: dataset.theme ?? "", style: style.cssText, fonts };
  }
}

servePort(() => new PageDriver());
