import { isAppMimeType } from "@vitrine/protocol/apps/discovery";

/** The page, if the response is one and nothing else; the host checks everything unusual. */
export function plainPage({ contents }: { contents?: unknown }): string | undefined {
  const [only, ...more] = Array.isArray(contents) ? contents : [];
  const { text, mimeType } = Object(only) as { text?: unknown; mimeType?: unknown };
  const isPlain = more.length === 0 && typeof text === "string" && text !== "";
  return isPlain && isAppMimeType(mimeType) ? text : undefined;
}
