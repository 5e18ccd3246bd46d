// The page: blocks in a layout, described by one document. Its script is bundled without the blocks'
// own code; each block is bundled apart and added, so that a page has the code of its blocks only.

import "./page.css";
import * as preact from "preact";
import * as hooks from "preact/hooks";
import type { Block } from "../shell/shell.tsx";
import { registerBlock } from "./block-view.tsx";
import type { readDocument } from "./document.ts";
import { addReader, Page } from "./page-content.tsx";

type Add = (block: Block<object, unknown>) => void;
type Require = (path: string) => unknown;

const modules = new Map<string, unknown>([
  ["preact", preact],
  ["preact/hooks", hooks],
]);

/** Makes a module of the shell available to blocks. */
export function share(path: string, module: unknown): void {
  modules.set(path, module);
}

/** Adds the code of a block, or of the reader of documents. */
export function define(
  factory: (
    add: Add,
    addDocumentReader: (read: typeof readDocument) => void,
    require: Require,
    h: unknown,
    Fragment: unknown,
  ) => void,
): void {
  factory(registerBlock, addReader, (path) => modules.get(path), preact.h, preact.Fragment);
}

/** Draws the page, once all its blocks are defined. */
export function run(): void {
  preact.render(<Page />, document.querySelector("main") as HTMLElement);
}
