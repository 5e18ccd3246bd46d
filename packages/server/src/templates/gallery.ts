import { readSchema, type SchemaNode, type SchemaProperty } from "../json-schema.ts";
import { textFallback } from "../text-fallback.ts";
import { imagesIn } from "./gallery-images.ts";
import { flag, list, oneOf, text } from "./option.ts";
import { cutText } from "./plain-data.ts";
import { defineTemplate, type Template, type TemplateConfig } from "./template.ts";

/** Images side by side; each opens large. */
export interface GalleryConfig extends TemplateConfig {
  /** The property of the result that holds the images, where it holds several lists. */
  imagesKey?: string;
  /** Whether captions stand below images; true by default. */
  showCaptions?: boolean;
  /** Whether images fill their tile or are seen whole in it; `cover` by default. */
  objectFit?: "cover" | "contain";
  /** Origins that images come from, as `https://images.example.com`; without any, only `data:` is shown. */
  imageDomains?: string[];
}

const SOURCE = /^(src|url|image|imageUrl|uri|href|thumbnail)$/;

/** Shows images. */
export const gallery: Template<GalleryConfig> = defineTemplate<GalleryConfig>({
  name: "gallery",
  options: {
    imagesKey: text("The property of the result that holds the images, if it holds several lists."),
    showCaptions: flag("Whether captions stand below images; true by default."),
    objectFit: oneOf(
      ["cover", "contain"],
      "Whether images fill their tile or are seen whole in it; cover by default.",
    ),
    imageDomains: list(
      text("An origin, as https://images.example.com."),
      "Origins of images; without any, only data: is shown.",
    ),
  },
  fit: (schema) => (imageList(readSchema(schema)) ? 0.95 : 0),
  configFor: (schema) => {
    const list = imageList(readSchema(schema));
    return list?.name === undefined ? {} : { imagesKey: list.name };
  },
  meta: ({ imageDomains }) =>
    imageDomains?.length ? { csp: { resourceDomains: imageDomains } } : undefined,
  describe: (structuredContent, { title, imagesKey }) => {
    const images = imagesIn(structuredContent, imagesKey);
    if (!images) return textFallback(structuredContent, { title });
    const lines = images.map(({ alt, caption, src }, at) => ({
      image: caption ?? alt ?? `Image ${at + 1}`,
      // Base64 tells a model nothing.
      address: src?.startsWith("https:") ? cutText(src, 200) : "inline",
    }));
    return textFallback(lines, { title });
  },
});

/** A list whose items have an address that is said to be an image's. */
function imageList(node: SchemaNode): { name: string | undefined } | undefined {
  if (node.type === "array") return isImage(node.items()) ? { name: undefined } : undefined;
  const found = node.properties().find(({ node }) => isImage(node.items()));
  return found && { name: found.name };
}

function isImage(item: SchemaNode | undefined): boolean {
  if (item?.type !== "object") return false;
  const properties = item.properties();
  const isSaid = properties.some(({ name }) => /^(alt|altText|mimeType|thumbnail)$/.test(name));
  return properties.some((property) => isImageAddress(property, isSaid));
}

function isImageAddress({ name, node }: SchemaProperty, isSaid: boolean): boolean {
  if (node.type !== "string") return false;
  if (/^image/i.test(String(node.schema.contentMediaType ?? ""))) return true;
  return /^image(Url)?$/.test(name) || (SOURCE.test(name) && isSaid) || (name === "data" && isSaid);
}
