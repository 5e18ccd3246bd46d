// Tells an upstream that keeps a log what a view did in the page.

import type { RequestContext } from "@vitrine/protocol";
import {
  DOWNLOAD_FILE_METHOD,
  type McpUiDownloadFileRequest,
  MESSAGE_METHOD,
  OPEN_LINK_METHOD,
  UPDATE_MODEL_CONTEXT_METHOD,
} from "@vitrine/protocol/apps";
import type { ConsentSubject } from "../consent/consent.ts";
import { describeDownload } from "../frame/page-actions.ts";
import type { ViewReceipt } from "../upstreams/receipt.ts";
import type { Upstream } from "../upstreams/upstream.ts";

const LONGEST_NAME = 200;

type About = Pick<ViewReceipt, "kind"> & Partial<ViewReceipt>;

const DESCRIPTIONS: ReadonlyMap<string, (params: never) => About> = new Map([
  [MESSAGE_METHOD, (content: unknown): About => ({ kind: "message", content })],
  [UPDATE_MODEL_CONTEXT_METHOD, (content: unknown): About => ({ kind: "model-context", content })],
  [
    OPEN_LINK_METHOD,
    ({ url }: { url: string }): About => ({
      kind: "link",
      host: new URL(url).host,
      content: { url },
    }),
  ],
  [
    DOWNLOAD_FILE_METHOD,
    ({ contents }: McpUiDownloadFileRequest["params"]): About => {
      const { names, size } = describeDownload(contents);
      return { kind: "download", names: names.map(shortened), size };
    },
  ],
] as [string, (params: never) => About][]);

/** Reports the answer to a question. */
export function reportAnswer(
  upstream: Upstream | undefined,
  subject: ConsentSubject,
  { isAllowed, request }: { isAllowed: boolean; request: RequestContext },
): void {
  const tool = "tool" in subject ? { tool: shortened(subject.tool.name) } : {};
  const outcome = isAllowed ? "allowed" : "declined";
  upstream?.report?.({ kind: "consent", outcome, about: subject.kind, ...tool, request });
}

/** Reports an action that the server doesn't receive. */
export function reportAction(
  upstream: Upstream | undefined,
  { params, result, request }: { params: unknown; result: unknown; request: RequestContext },
): void {
  const about = upstream?.report && DESCRIPTIONS.get(request.method)?.(params as never);
  if (!about) return;
  const { isError } = Object(result) as { isError?: boolean };
  upstream?.report?.({ outcome: isError ? "failed" : "done", ...about, request });
}

function shortened(text: string): string {
  return text.slice(0, LONGEST_NAME);
}
