// Markdown of the model as React elements. Nothing is ever set as HTML, images are links, and no
// address is requested until the user clicks it: the text may come from a prompt injection.

import { lexer, type Token, type Tokens } from "marked";
import { Fragment, memo, type ReactNode, useMemo } from "react";
import { CodeBlock } from "./code-block.tsx";
import { decodeEntities } from "./entities.ts";
import { readLink, type SafeLink } from "./safe-link.ts";

// Longer texts are shown as they are: the parser takes too long for them while they stream.
const LONGEST = 100_000;
// The deepest nesting of lists and quotes.
const DEEPEST = 12;

/** Renders Markdown. */
export const Markdown = memo(function Markdown({ text }: { text: string }): ReactNode {
  const blocks = useMemo(() => parse(text), [text]);
  if (!blocks) return <pre className="raw">{text}</pre>;
  return (
    <div className="markdown">
      {blocks.map((token, at) => (
        // Blocks are only appended while a text streams.
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity.
        <Block key={at} token={token} />
      ))}
    </div>
  );
});

function parse(text: string): Token[] | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    return lexer(text, { gfm: true, breaks: true }).filter(({ type }) => type !== "space");
  } catch {
    return undefined;
  }
}

/** A block is rendered again only if its text has changed. */
const Block = memo(
  ({ token }: { token: Token }): ReactNode => renderBlock(token, 0),
  (before, after) => before.token.raw === after.token.raw,
);

function renderBlock(token: Token, depth: number): ReactNode {
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case "heading": {
      const { depth: level, tokens } = token as Tokens.Heading;
      // Below the heading of the page.
      const Heading = `h${Math.min(6, level + 1)}` as "h2";
      return <Heading>{renderInline(tokens, depth)}</Heading>;
    }
    case "paragraph":
      return <p>{renderInline((token as Tokens.Paragraph).tokens, depth)}</p>;
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return <CodeBlock text={text} language={lang} />;
    }
    case "blockquote":
      return (
        <blockquote>{renderBlocks((token as Tokens.Blockquote).tokens, depth + 1)}</blockquote>
      );
    case "list":
      return renderList(token as Tokens.List, depth);
    case "table":
      return renderTable(token as Tokens.Table, depth);
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    default:
      return <p>{renderInline([token], depth)}</p>;
  }
}

function renderBlocks(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order.
    <Fragment key={at}>
      {token.type === "text" ? renderInline([token], depth) : renderBlock(token, depth)}
    </Fragment>
  ));
}

function renderList({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const List = ordered ? "ol" : "ul";
  return (
    <List {...(ordered && Number(start) !== 1 && { start: Number(start) })}>
      {items.map(({ task, checked, tokens }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order.
        <li key={at} className={task ? "task" : undefined}>
          {task && <TaskState isDone={checked === true} />}
          {renderBlocks(
            tokens.filter(({ type }) => type !== "checkbox"),
            depth + 1,
          )}
        </li>
      ))}
    </List>
  );
}

function renderTable({ header, rows, align }: Tokens.Table, depth: number): ReactNode {
  const style = (at: number) => ({ textAlign: align[at] ?? undefined });
  return (
    <div className="table">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their order.
              <th key={at} style={style(at)}>
                {renderInline(tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their order.
            <tr key={line}>
              {row.map(({ tokens }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their order.
                <td key={at} style={style(at)}>
                  {renderInline(tokens, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderInline(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  return tokens?.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order.
    <Fragment key={at}>{depth > DEEPEST ? token.raw : renderSpan(token, depth + 1)}</Fragment>
  ));
}

function renderSpan(token: Token, depth: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong>{renderInline(token.tokens, depth)}</strong>;
    case "em":
      return <em>{renderInline(token.tokens, depth)}</em>;
    case "del":
      return <del>{renderInline(token.tokens, depth)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link": {
      const { href, text, tokens } = token as Tokens.Link;
      return renderLink(readLink(decodeEntities(href)), text, renderInline(tokens, depth));
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      const label = text === "" ? "Image" : `Image: ${decodeEntities(text)}`;
      return renderLink(readLink(decodeEntities(href)), text, label);
    }
    case "escape":
      return (token as Tokens.Escape).text;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? renderInline(tokens, depth) : decodeEntities(text);
    }
    default:
      // HTML is shown as text.
      return token.raw;
  }
}

/** The host is shown next to the words, because words may name another one. */
function renderLink(link: SafeLink | undefined, text: string, content: ReactNode): ReactNode {
  if (!link) return content;
  const isPlain =
    text === link.href || text === link.href.replace(/\/$/, "") || text === link.target;
  return (
    <>
      <a href={link.href} target="_blank" rel="noopener noreferrer" title={link.href}>
        {content}
      </a>
      {!isPlain && <span className="target"> ({link.target})</span>}
    </>
  );
}

function TaskState({ isDone }: { isDone: boolean }): ReactNode {
  const label = isDone ? "Done" : "Not done";
  return <input type="checkbox" checked={isDone} readOnly tabIndex={-1} aria-label={label} />;
}
