// Models call tools by one name, so the name of a server becomes part of it. The name is computed from
// server and tool alone: the product's server and its page come to the same one without asking.

const LONGEST = 64;
const HASH = 7;

/**
 * The name of a server's tool for a model: `shop__add_to_cart`. Names that models' APIs don't accept are
 * shortened and end in a hash, so that two tools never share one.
 */
export function modelToolName(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  // A server's name with "__" could end where the tool of another server begins. App tools have names
  // of their own.
  const isPlain = /^[A-Za-z][\w-]*$/.test(name) && !server.includes("__") && !server.endsWith("_");
  if (isPlain && name.length <= LONGEST && !name.startsWith("app_")) return name;
  const safe = name.replaceAll(/[^\w-]/g, "_").replace(/^(?![A-Za-z])|^(?=app_)/, "s_");
  return `${safe.slice(0, LONGEST - HASH - 1)}_${hash(JSON.stringify([server, tool]))}`;
}

/** Seven characters: FNV-1a of 35 bits, which no two tools of a product share by accident. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const character of text) {
    value = BigInt.asUintN(64, (value ^ BigInt(character.codePointAt(0) ?? 0)) * 0x100000001b3n);
  }
  return value.toString(36).slice(-HASH).padStart(HASH, "0");
}
