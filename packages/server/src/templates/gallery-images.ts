import { firstText, isRecord, listOf } from "./plain-data.ts";

/** An image that may be shown. */
export interface GalleryImage {
  /** `https:` or `data:image/`; `undefined` where the server gave something else. */
  src: string | undefined;
  /** What it shows, for those who do not see it. */
  alt: string | undefined;
  caption: string | undefined;
}

const USUAL_NAMES = ["images", "photos", "pictures", "items", "results", "data"];
// Drawn by the browser as images, in which no script runs.
const IMAGE_DATA = /^data:image\/(png|jpe?g|gif|webp|avif|bmp|svg\+xml)[;,]/i;
const IMAGE_TYPE = /^image\/(png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/i;

/** The images in a result's data. */
export function imagesIn(data: unknown, imagesKey?: string): GalleryImage[] | undefined {
  const list = listIn(data, imagesKey);
  if (list) return list.flatMap((item) => toImage(item) ?? []);
  const only = isRecord(data) ? toImage(data) : undefined;
  return only && [only];
}

/** The images among the content blocks of a result. */
export function imageBlocks(content: readonly unknown[] = []): GalleryImage[] {
  return content.flatMap((block) => {
    if (!isRecord(block)) return [];
    const data = block.type === "resource" && isRecord(block.resource) ? block.resource : block;
    return toImage(data) ?? [];
  });
}

function listIn(data: unknown, imagesKey: string | undefined): unknown[] | undefined {
  if (imagesKey === undefined) return listOf(data, USUAL_NAMES);
  if (!isRecord(data) || !Object.hasOwn(data, imagesKey)) return undefined;
  const found = data[imagesKey];
  return Array.isArray(found) ? found : undefined;
}

function toImage(item: unknown): GalleryImage | undefined {
  if (typeof item === "string")
    return { src: safeSource(item), alt: undefined, caption: undefined };
  if (!isRecord(item)) return undefined;
  const source = firstText(item, ["src", "url", "image", "imageUrl", "uri", "href"]);
  const bytes = firstText(item, ["data", "blob", "base64"]);
  const type = firstText(item, ["mimeType", "mime", "contentType"]) ?? "";
  if (source === undefined && (bytes === undefined || !IMAGE_TYPE.test(type))) return undefined;
  const inline = bytes !== undefined && IMAGE_TYPE.test(type);
  return {
    src: inline ? `data:${type};base64,${bytes}` : safeSource(source ?? ""),
    alt: firstText(item, ["alt", "altText", "description"]),
    caption: firstText(item, ["caption", "title", "name", "label"]),
  };
}

/** The address of an image, if it is of a kind that a View may show. */
export function safeSource(source: string): string | undefined {
  if (IMAGE_DATA.test(source)) return source;
  return /^https:\/\//i.test(source) && URL.canParse(source) ? source : undefined;
}
