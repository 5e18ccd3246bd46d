import { LIMITS } from "./limits.ts";

// Devices on Windows, with or without an extension.
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

// What a double click would run, mount, or open with rights of its own.
const active = new Set(
  (
    "exe com scr pif msi msix msp bat cmd ps1 psm1 vbs vbe js jse mjs wsf wsh hta cpl dll lnk url " +
    "scf inf reg jar app command workflow dmg pkg iso img vhd sh bash zsh fish run desktop appimage " +
    "deb rpm apk html htm xhtml shtml mht mhtml svg xml xsl xslt chm website webloc library-ms"
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
  return active.has(extension(safe)) ? `${safe}.txt` : safe;
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
