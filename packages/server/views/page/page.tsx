// The page: blocks in a layout, described by one document. Its script is bundled without the blocks'
// own code; each block is bundled apart and added, so that a page has the code of its blocks only.

import "./page.css";
import { Fragment, h, render } from "preact";
import type { Block } from "../shell/shell.tsx";
import { registerBlock } from "./block-view.tsx";
import type { readDocument } from "./document.ts";
import { addReader, Page } from "./page-content.tsx";

type Add = (block: Block<object, unknown>) => void;
type Require = (path: string) => unknown;

const modules = new Map<string, unknown>();

/** Makes what blocks import from a module available to them. */
export function share(path: string, module: unknown): void {
  modules.set(path, module);
}

/** Adds the code of a block, or of the reader of documents. */
export function define(
  factory: (
    add: Add,
    addDocumentReader: (read: typeof readDocument) => void,
    require: Require,
    createElement: unknown,
    fragment: unknown,
  ) => void,
): void {
  factory(registerBlock, addReader, (path) => modules.get(path), h, Fragment);
}

/** Draws the page, once all its blocks are defined. */
export function run(): void {
  render(<Page />, document.querySelector("main") as HTMLElement);
}
