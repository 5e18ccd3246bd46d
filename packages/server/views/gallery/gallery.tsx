import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { GalleryConfig } from "../../src/templates/gallery.ts";
import type { GalleryImage } from "../../src/templates/gallery-images.ts";
import {
  type BodyProps,
  CROSS,
  cut,
  Icon,
  Link,
  Name,
  NEXT,
  PREVIOUS,
  Text,
  useShell,
} from "../shell/shell.tsx";

const PAGE = 48;
const LONGEST_ALT = 300;

/** Tiles of images, or the one that was opened. */
export function Gallery({ config, data: images }: BodyProps<GalleryConfig, GalleryImage[]>) {
  const { label, format } = useShell();
  const [open, setOpen] = useState<number>();
  const [most, setMost] = useState(PAGE);
  const tiles = useRef<HTMLUListElement>(null);
  const last = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (open === undefined && last.current !== undefined) {
      tiles.current?.querySelectorAll("button")[last.current]?.focus();
    }
    last.current = open;
  }, [open]);
  if (open !== undefined && images[open]) {
    return <Large images={images} at={open} onMove={setOpen} onClose={() => setOpen(undefined)} />;
  }
  return (
    <>
      <ul class={config.objectFit === "contain" ? "images whole" : "images"} ref={tiles}>
        {images.slice(0, most).map((image, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an image is its place.
          <li key={at}>
            <figure>
              <button type="button" class="tile" onClick={() => setOpen(at)}>
                <Picture image={image} at={at} />
              </button>
              {config.showCaptions !== false && image.caption && (
                <figcaption>
                  <Text value={image.caption} />
                </figcaption>
              )}
            </figure>
          </li>
        ))}
      </ul>
      {images.length > most && (
        <div>
          <button type="button" class="button" onClick={() => setMost(most + PAGE)}>
            {label("moreOf", { shown: format.number(most), count: format.number(images.length) })}
          </button>
        </div>
      )}
    </>
  );
}

/**
 * One image, in the place of the tiles and not above them: a frame is as high as its content, and a
 * dialog in it could be no higher than a single tile.
 */
function Large({
  images,
  at,
  onMove,
  onClose,
}: {
  images: readonly GalleryImage[];
  at: number;
  onMove(at: number): void;
  onClose(): void;
}) {
  const { label, format, announce } = useShell();
  const close = useRef<HTMLButtonElement>(null);
  const image = images[at] as GalleryImage;
  const place = label("place", { at: format.number(at + 1), count: format.number(images.length) });
  useLayoutEffect(() => close.current?.focus(), []);
  useEffect(() => announce(`${place}. ${nameOf(image, "")}`), [place, image, announce]);
  const move = (to: number): void => {
    if (to >= 0 && to < images.length) onMove(to);
  };
  const onKeyDown = ({ key }: { key: string }): void => {
    const forward = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
    if (key === "Escape") onClose();
    else if (key === "ArrowLeft" || key === "ArrowRight") move(key === forward ? at + 1 : at - 1);
    else if (key === "Home") move(0);
    else if (key === "End") move(images.length - 1);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for what the buttons in it do as well.
    <div class="large" onKeyDown={onKeyDown}>
      <div class="bar">
        <button type="button" class="button" ref={close} onClick={onClose}>
          <Icon path={CROSS} />
          {label("close")}
        </button>
        <span>{place}</span>
        <Step
          name={label("previous")}
          path={PREVIOUS}
          isThere={at > 0}
          onPress={() => move(at - 1)}
        />
        <Step
          name={label("next")}
          path={NEXT}
          isThere={at < images.length - 1}
          onPress={() => move(at + 1)}
        />
      </div>
      <figure>
        <div class="stand">
          <Picture key={at} image={image} at={at} isLarge />
        </div>
        {(image.caption ?? image.alt) && (
          <figcaption>
            <Text value={image.caption ?? image.alt ?? ""} short={1000} />
          </figcaption>
        )}
      </figure>
    </div>
  );
}

function Step({
  name,
  path,
  isThere,
  onPress,
}: {
  name: string;
  path: string;
  isThere: boolean;
  onPress(): void;
}) {
  return (
    <button
      type="button"
      class="button icon"
      aria-label={name}
      title={name}
      aria-disabled={!isThere}
      onClick={onPress}
    >
      <Icon path={path} turns />
    </button>
  );
}

/** An image, or what is said of it where it does not come. */
function Picture({ image, at, isLarge }: { image: GalleryImage; at: number; isLarge?: boolean }) {
  const { label, format } = useShell();
  const [isLost, setLost] = useState(false);
  const { src } = image;
  const name = nameOf(image, label("image", { at: format.number(at + 1) }));
  if (src === undefined || isLost) {
    return (
      <span class="missing">
        <span>
          <Name value={name} />
        </span>
        <span>{label("notShown")}</span>
        {isLarge && src?.startsWith("https:") && <Link href={src} />}
      </span>
    );
  }
  return (
    <img
      src={src}
      alt={name}
      loading={isLarge ? "eager" : "lazy"}
      decoding="async"
      referrerpolicy="no-referrer"
      onError={() => setLost(true)}
    />
  );
}

function nameOf({ alt, caption }: GalleryImage, otherwise: string): string {
  return cut(alt ?? caption ?? otherwise, LONGEST_ALT);
}
