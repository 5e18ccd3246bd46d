/** A size report, as it leaves the View. */
export interface Report {
  width: number;
  height: number;
}

/** How a Host turns a report into the frame's height. */
export type HostStyle = (frame: HTMLIFrameElement, height: number) => void;

const exact: HostStyle = (frame, height) => {
  frame.style.height = `${height}px`;
};

/** Hosts as they are: each has driven some View into a loop. */
export const HOSTS: Record<string, HostStyle> = {
  "takes the height as it is": exact,
  "draws a border inside it": (frame, height) => {
    frame.style.boxSizing = "border-box";
    frame.style.border = "2px solid";
    exact(frame, height);
  },
  "clamps it at 400": (frame, height) => exact(frame, Math.min(height, 400)),
  "animates to it": (frame, height) => {
    frame.style.transition = "height 120ms linear";
    exact(frame, height);
  },
  "takes its time": (frame, height) => void setTimeout(() => exact(frame, height), 60),
  "ignores it": () => {},
};

/** A View in a frame of its own that reports its size to a Host which obeys in its own way. */
export interface ResizeFrame {
  window: Window & typeof globalThis;
  document: Document;
  reports: Report[];
  /** Resolves when no report has come for a while. */
  settled(): Promise<void>;
  /** Resolves after the frame has kept its height for long enough to be measured. */
  rests(): Promise<void>;
  remove(): void;
}

export async function openResizeFrame(
  html: string,
  style: HostStyle = exact,
): Promise<ResizeFrame> {
  const frame = document.createElement("iframe");
  frame.style.cssText = "width: 300px; height: 150px; border: 0";
  const reports: Report[] = [];
  const module = new URL("../src/auto-resize.ts", import.meta.url).href;
  const started = new Promise<void>((resolve) => {
    addEventListener("message", function listen({ source, data }) {
      if (source !== frame.contentWindow) return;
      if (data === "started") resolve();
      else {
        reports.push(data);
        style(frame, data.height);
      }
    });
  });
  frame.srcdoc = `<!doctype html>${html}
    <script type="module">
      import { observeSize } from ${JSON.stringify(module)};
      const observer = observeSize(
        (size) => parent.postMessage(size, "*"),
        () => window.maxHeight,
      );
      Object.assign(window, observer);
      parent.postMessage("started", "*");
    </script>`;
  document.body.append(frame);
  await started;
  const settled = async (): Promise<void> => {
    let seen = -1;
    let calm = 0;
    while (calm < 4) {
      calm = reports.length === seen ? calm + 1 : 0;
      seen = reports.length;
      await new Promise((resolve) => setTimeout(resolve, 80));
    }
  };
  const rests = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn++) {
      await new Promise((resolve) => frame.contentWindow?.requestAnimationFrame(resolve));
    }
  };
  return {
    window: frame.contentWindow as Window & typeof globalThis,
    document: frame.contentDocument as Document,
    reports,
    settled,
    rests,
    remove: () => frame.remove(),
  };
}
