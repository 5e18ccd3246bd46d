import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder to discover Views in; removed by `await using`. */
export interface ViewRoot extends AsyncDisposable {
  root: string;
  /** The folder that `root` is in, for what must not be reached. */
  outside: string;
  write(files: Record<string, string | Uint8Array | object>): Promise<void>;
}

/** Text that is a page. */
export const page = (body: string): string => `<!doctype html><title>v</title><p>${body}</p>`;

/** Makes a folder of these files; objects become JSON. */
export async function viewRoot(
  files: Record<string, string | Uint8Array | object> = {},
): Promise<ViewRoot> {
  const outside = await mkdtemp(join(tmpdir(), "vitrine-discovery-"));
  const root = join(outside, "root");
  await mkdir(root);
  const write: ViewRoot["write"] = async (files) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      const isRaw = typeof content === "string" || content instanceof Uint8Array;
      await writeFile(join(root, name), isRaw ? content : JSON.stringify(content));
    }
  };
  await write(files);
  return {
    root,
    outside,
    write,
    [Symbol.asyncDispose]: () => rm(outside, { recursive: true, force: true }),
  };
}
