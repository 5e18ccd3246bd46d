// Sends a file to the View's server in parts, as arguments of a tool: the only way that works in every
// Host, because most Views can't reach a server in another way.

import { LocalError, type RequestOptions } from "@vitrine/protocol";
import type { AppTypes, CallToolResult } from "@vitrine/protocol/apps";
import type { App } from "../app.ts";
import type { ToolAnswer, ToolName } from "../typed-app.ts";
import { type Cell, createStore } from "./cell.ts";
import { textOf } from "./tool-call.ts";

/** Options of `useUpload`. */
export interface UploadOptions<N extends string = string> {
  /** The tool that receives each part: an `UploadPart` as its arguments. */
  tool: N;
  /** Most bytes of a file; default 10 MB. The server has to check it too. */
  maxSize?: number | undefined;
  /** Bytes of a part; default 512 KiB, which fits into the messages of every known Host. */
  partSize?: number | undefined;
  /** The files that `pick` offers, such as `"image/*,.pdf"`. */
  accept?: string | undefined;
}

/** The arguments of the tool: one part of a file. The last part ends at `size`. */
export interface UploadPart {
  /** The same for all parts of a file. */
  id: string;
  name: string;
  mimeType: string;
  /** Bytes of the whole file. */
  size: number;
  /** Where the part begins. */
  offset: number;
  /** The part in base64. */
  data: string;
}

/** The value of `useUpload`: of the newest file. */
export interface UploadState<Result extends CallToolResult = CallToolResult> {
  isPending: boolean;
  /** From 0 to 1. */
  progress: number;
  /** Why it failed; none if it was cancelled. */
  error: Error | undefined;
  /** The file, also while it is being sent. */
  file: File | undefined;
  /** The tool's result for the last part. */
  result: Result | undefined;
}

/** How to send files. */
export interface UploadActions<Result extends CallToolResult = CallToolResult> {
  /** Sends a file; replaces one that is being sent. Never rejects. */
  upload(file: File): Promise<Result | undefined>;
  /** Lets the user choose a file and sends it; call it in the handler of a click. */
  pick(): void;
  cancel(): void;
  reset(): void;
}

const MAX_SIZE = 10_000_000;
const PART_SIZE = 512 * 1024;

/** Creates the uploads of a component. */
export function createUpload<T extends AppTypes, N extends ToolName<T>>({
  tool,
  maxSize = MAX_SIZE,
  partSize = PART_SIZE,
  accept = "",
}: UploadOptions<N>): Cell<UploadState<ToolAnswer<T, N>>, App<T>> &
  UploadActions<ToolAnswer<T, N>> {
  type State = UploadState<ToolAnswer<T, N>>;
  const idle: State = {
    isPending: false,
    progress: 0,
    error: undefined,
    file: undefined,
    result: undefined,
  };
  const store = createStore<State>(idle);
  let app: App | null | undefined;
  let controller: AbortController | undefined;
  const cancel = (): void => {
    controller?.abort();
    controller = undefined;
    if (store.get().isPending) store.change(idle);
  };
  const upload = async (file: File): Promise<State["result"]> => {
    cancel();
    controller = new AbortController();
    const { signal } = controller;
    store.change({ ...idle, file, isPending: true });
    try {
      if (!app) throw new LocalError("not-connected", tool);
      if (file.size > maxSize) throw new RangeError(tooLarge(file, maxSize));
      let result: CallToolResult | undefined;
      for await (const part of partsOf(file, partSize)) {
        result = await send(app, tool, part, { signal });
        if (signal.aborted) return undefined;
        store.change({ progress: Math.min(1, (part.offset + partSize) / (file.size || 1)) });
      }
      store.change({ isPending: false, progress: 1, result: result as State["result"] });
      return result as State["result"];
    } catch (error) {
      if (!signal.aborted) store.change({ isPending: false, error: error as Error });
      return undefined;
    }
  };
  return {
    get: store.get,
    subscribe: store.subscribe,
    connect: (next) => {
      app = next as unknown as App | null | undefined;
      return () => {
        cancel();
        app = undefined;
      };
    },
    upload,
    pick: () => {
      const input = Object.assign(document.createElement("input"), { type: "file", accept });
      input.onchange = () => {
        const [file] = input.files ?? [];
        if (file) void upload(file);
      };
      input.click();
    },
    cancel,
    reset: () => {
      cancel();
      store.change(idle);
    },
  };
}

async function send(
  app: App,
  name: string,
  part: UploadPart,
  options: RequestOptions,
): Promise<CallToolResult> {
  const result = await app.callServerTool({ name, arguments: { ...part } }, options);
  if (result.isError) throw new Error(textOf(result) || `The tool "${name}" failed.`);
  return result;
}

async function* partsOf(file: File, partSize: number): AsyncGenerator<UploadPart> {
  const { name, type: mimeType, size } = file;
  const id = crypto.randomUUID();
  // An empty file has one part too.
  for (let offset = 0; offset === 0 || offset < size; offset += partSize) {
    const data = await base64(file.slice(offset, offset + partSize));
    yield { id, name, mimeType, size, offset, data };
  }
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  // In steps, because a call has a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(text);
}

function tooLarge({ name, size }: File, maxSize: number): string {
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  return `"${name}" has ${megabytes(size)}; at most ${megabytes(maxSize)} can be sent. Choose a smaller file.`;
}
