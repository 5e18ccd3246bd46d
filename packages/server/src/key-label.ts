// Acronyms that data uses as names. Others can be given as a title in the schema or a label in the config.
const ACRONYMS = new Set(
  "api bic cpu crm csv css dns erp eta faq gpu html http https iban id ip isbn json kpi os pdf pr qa qr ram sku sla sms sql ssl ssn sso svg tls ui url usb utc uri uuid vat vip vpn xml".split(
    " ",
  ),
);

/**
 * A property's name as people read it: `unitPrice` and `unit_price` are "Unit price", `id` is "ID", and
 * `createdAt` is "Created", because its value shows that it's a time.
 */
export function labelOf(name: string, title?: string): string {
  if (title?.trim()) return title.trim();
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/[_\-.\s]+/g, " ")
    .trim()
    .split(" ")
    .map(toWord);
  const last = words.at(-1);
  const before = words.at(-2);
  if (before && (last === "at" || (last === "on" && before.endsWith("ed")))) words.pop();
  const text = words.join(" ");
  return text === "" ? name : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** An acronym has capitals; other words of camel case lose them. */
function toWord(word: string): string {
  const lower = word.toLowerCase();
  if (ACRONYMS.has(lower)) return lower.toUpperCase();
  const single = lower.slice(0, -1);
  if (lower.endsWith("s") && ACRONYMS.has(single)) return `${single.toUpperCase()}s`;
  return /^\p{Lu}[\p{Ll}]/u.test(word) ? lower : word;
}
