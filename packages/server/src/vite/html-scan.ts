// The little of HTML that has to be read to judge a finished document: tags with their attributes,
// and the text of the elements that have no markup inside. Tokens as the HTML standard cuts them
// where it matters here: a script ends at `</script` in any case of letters, whatever follows.

/** A start tag, and its text where the element has nothing but text. */
export interface ScannedTag {
  name: string;
  attributes: ReadonlyMap<string, string>;
  /** Of `script`, `style`, `title` and `textarea`. */
  text?: string;
}

/** A tag of a document. */
interface PlacedTag extends ScannedTag {
  /** Where it begins. */
  at: number;
}

const TEXT_ONLY = new Set(["script", "style", "title", "textarea", "xmp", "noembed", "noframes"]);
const TAG_START = /<(?:!--|([a-z][^\s/>]*))/gi;
const ATTRIBUTE = /[\s/]*(?:(>)|([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?)/y;

/** Every start tag of a document, in order. */
export function scanTags(html: string): PlacedTag[] {
  const tags: PlacedTag[] = [];
  TAG_START.lastIndex = 0;
  for (let match = TAG_START.exec(html); match; match = TAG_START.exec(html)) {
    const [, name] = match;
    if (name === undefined) {
      const end = html.indexOf("-->", match.index + 2);
      TAG_START.lastIndex = end < 0 ? html.length : end + 3;
      continue;
    }
    const { attributes, end } = readAttributes(html, TAG_START.lastIndex);
    const tag: PlacedTag = { name: name.toLowerCase(), at: match.index, attributes };
    TAG_START.lastIndex = end;
    if (TEXT_ONLY.has(tag.name)) {
      const close = closingTag(html, tag.name, end);
      tag.text = html.slice(end, close);
      TAG_START.lastIndex = close;
    }
    tags.push(tag);
  }
  return tags;
}

function readAttributes(
  html: string,
  start: number,
): { attributes: Map<string, string>; end: number } {
  const attributes = new Map<string, string>();
  ATTRIBUTE.lastIndex = start;
  let end = start;
  for (let match = ATTRIBUTE.exec(html); match; match = ATTRIBUTE.exec(html)) {
    end = ATTRIBUTE.lastIndex;
    const [, close, name, double, single, bare] = match;
    if (close) return { attributes, end };
    const key = (name ?? "").toLowerCase();
    // The first of two attributes with one name counts.
    if (!attributes.has(key)) attributes.set(key, double ?? single ?? bare ?? "");
  }
  return { attributes, end: Math.max(end, start) };
}

function closingTag(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}(?=[\\s/>]|$)`, "gi");
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}
