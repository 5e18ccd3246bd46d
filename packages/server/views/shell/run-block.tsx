import { render } from "preact";
import type { Block, CommonConfig } from "./block.ts";
import { Content } from "./content.tsx";
import { Frame } from "./frame.tsx";

/** Draws one block as a whole view, with the config that the page carries. */
export function runBlock<Config extends CommonConfig, Data>(block: Block<Config, Data>): void {
  const config: Config = readConfig();
  render(
    <Frame name={block.name} labels={block.labels} config={config}>
      {(told) => <Content block={block} config={config} told={told} />}
    </Frame>,
    document.querySelector("main") as HTMLElement,
  );
}

/** The config that the server wrote into the page. */
export function readConfig<Config>(): Config {
  return JSON.parse(document.getElementById("vitrine-config")?.textContent ?? "{}");
}
