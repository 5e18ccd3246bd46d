// The result of an action, announced and shown until the next one.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { reportSignedOut } from "../use-data.ts";
import { Icon } from "./icon.tsx";
import { Text } from "./text.tsx";

interface Notice {
  id: number;
  text: string;
  isError: boolean;
}

let show: (text: string, isError: boolean) => void = () => {};
const LASTING = 6000;

/** Shows and announces what was done. */
export function notify(text: string): void {
  show(text, false);
}

/** Shows and announces a failure, which stays until it is closed. */
export function notifyError(error: unknown): void {
  reportSignedOut(error);
  show(error instanceof Error ? error.message : `${error}`, true);
}

export function Notices(): JSX.Element {
  const [notice, setNotice] = useState<Notice | undefined>(undefined);
  useEffect(() => {
    show = (text, isError) => setNotice((before) => ({ id: (before?.id ?? 0) + 1, text, isError }));
    return () => {
      show = () => {};
    };
  }, []);
  useEffect(() => {
    if (!notice || notice.isError) return;
    const timer = setTimeout(() => setNotice(undefined), LASTING);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notices">
      <div role="status">
        {notice && !notice.isError && (
          <p class="notice" key={notice.id}>
            <Icon name="check" />
            <Text value={notice.text} />
          </p>
        )}
      </div>
      <div role="alert">
        {notice?.isError && (
          <p class="notice bad" key={notice.id}>
            <Icon name="alert" />
            <Text value={notice.text} />
            <button
              type="button"
              class="icon"
              aria-label="Close message"
              onClick={() => setNotice(undefined)}
            >
              <Icon name="down" />
            </button>
          </p>
        )}
      </div>
    </div>
  );
}
