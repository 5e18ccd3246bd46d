import "./gallery.css";
import type { GalleryConfig } from "../../src/templates/gallery.ts";
import { type GalleryImage, imageBlocks, imagesIn } from "../../src/templates/gallery-images.ts";
import type { Block } from "../shell/shell.tsx";
import { Gallery } from "./gallery.tsx";

export const block: Block<GalleryConfig, GalleryImage[]> = {
  name: "gallery",
  labels: {
    empty: "There are no images to show.",
    image: "Image {at}",
    place: "{at} of {count}",
    close: "Close",
    previous: "Previous image",
    next: "Next image",
    notShown: "This image could not be shown",
    moreOf: "Show more ({shown} of {count})",
  },
  // A server without structured content sends its images as blocks.
  read: (value, { imagesKey }, result) => {
    const images = imagesIn(value, imagesKey);
    if (images?.length) return images;
    const blocks = imageBlocks(result?.content);
    return blocks.length > 0 ? blocks : images;
  },
  isEmpty: (images) => images.length === 0,
  Body: Gallery,
};
