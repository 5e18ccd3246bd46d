// Finds the code blocks of Markdown files and what their authors marked them with.
//
// A comment right before a block adds what readers don't need to see:
//   <!-- docs: continues -->          the block goes on from the one before it
//   <!-- docs: with `declare …;` -->  declarations of names that the text explains
//   <!-- docs: fragment, because … -->  not checked, with the reason
// A fence such as "```ts run" also runs the block.

const BLOCK = /^( *)(`{3,})([^\n`]*)\n([\s\S]*?)^\1\2 *$/gm;
const MARK = /<!-- docs: (continues|fragment|with)\b((?:(?!-->)[\s\S])*)-->\s*$/;

/** The blocks of one file, in order: `{ path, line, language, isRun, code, name, mark, note }`. */
export function codeBlocks(path, source) {
  const blocks = [];
  for (const { 0: whole, 1: indent, 3: info, 4: body, index } of source.matchAll(BLOCK)) {
    const [language = "", ...words] = info.trim().split(/\s+/);
    const [, mark, note = ""] = MARK.exec(source.slice(0, index)) ?? [];
    const code = indent ? body.replaceAll(new RegExp(`^${indent}`, "gm"), "") : body;
    const line = source.slice(0, index).split("\n").length + 1;
    const name = /^\/\/ ([\w./-]+\.tsx?)\b/.exec(code)?.[1];
    blocks.push({
      path,
      line,
      language,
      isRun: words.includes("run"),
      code,
      name,
      mark,
      note: note.trim(),
      whole,
    });
  }
  return blocks;
}

/**
 * The blocks that can be compiled, as files below a folder per document. `offset` is the number of lines
 * that precede the block's own first line.
 */
export function compilableFiles(blocks) {
  const files = [];
  let last;
  for (const [at, block] of blocks.entries()) {
    if (!/^(?:ts|tsx|js|jsx)$/.test(block.language) || block.mark === "fragment") continue;
    let before = "";
    if (block.mark === "continues") before = last?.text ?? "";
    if (block.mark === "with") before = `${block.note.replaceAll(/^`+|`+$/g, "")}\n`;
    const folder = block.path.replaceAll(/[/.]/g, "_");
    const name = block.name ?? `block-${at}.${block.language}`;
    last = {
      ...block,
      file: `${folder}/${name}`,
      text: before + block.code,
      offset: lineCount(before),
    };
    files.push(last);
  }
  return files;
}

const lineCount = (text) => text.split("\n").length - 1;

/** The commands of a shell block: one line each, without comments, variables before them and `npx`. */
export function shellCommands(code) {
  const lines = code.replaceAll(/\s*\\\n\s*/g, " ").split("\n");
  return lines
    .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
    .flatMap((line) => line.split(/\s*(?:&&|\|\||[|;])\s*/))
    .map((command) => command.replace(/^(?:\w+=\S*\s+)*(?:npx\s+)?/, ""))
    .filter((command) => command !== "");
}
