import { LIMITS } from "./limits.ts";

// Devices on Windows, with or without an extension.
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

// Types that a double click shows or plays, and nothing more. The others, such as programs, scripts,
// shortcuts, disk images and documents with macros, are too many to list, and new ones keep coming.
const inert = new Set(
  (
    "txt text md rst log csv tsv json jsonl ndjson geojson yaml yml toml diff patch tex bib srt vtt " +
    "pdf epub docx xlsx pptx odt ods odp pages numbers key ics vcf " +
    "png jpg jpeg gif webp avif heic bmp tif tiff ico psd mp3 wav ogg oga opus flac m4a aac mid " +
    "mp4 m4v mov webm mkv avi ttf otf woff woff2 zip gz tar bz2 xz zst " +
    "gpx kml kmz stl obj ply gltf glb step stp dxf dwg fit parquet arrow npy npz sqlite db bin dat"
  ).split(" "),
);

/**
 * A harmless file name for a downloaded resource: the last segment of its URI, decoded (HST-72),
 * without anything that means something to a file system or a shell (HST-73).
 */
export function downloadName(uri: string): string {
  const path = uri.replace(/[?#].*$/su, "");
  // Decoded before the last cut: `..%2f` is a separator in disguise.
  const name = decode(path.replace(/\/+$/, "")).split(/[/\\]/).at(-1) ?? "";
  const clean = shorten(
    name
      .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
      .replace(/[^\p{L}\p{M}\p{N} ._()-]/gu, "_")
      .replace(/^[. ]+|[. ]+$/g, ""),
  );
  if (clean === "") return "download";
  const safe = reserved.test(clean) ? `_${clean}` : clean;
  const type = extension(safe);
  return type === "" || inert.has(type) ? safe : `${safe}.txt`;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function extension(name: string): string {
  const at = name.lastIndexOf(".");
  return at < 0 ? "" : name.slice(at + 1).toLowerCase();
}

/** Cuts the middle of a long name, so that its type stays recognisable. */
function shorten(name: string): string {
  const letters = [...name];
  if (letters.length <= LIMITS.fileName) return name;
  const type = [...extension(name)].slice(0, 16);
  const end = type.length > 0 ? ["…", ".", ...type] : ["…"];
  return [...letters.slice(0, LIMITS.fileName - end.length), ...end].join("");
}
