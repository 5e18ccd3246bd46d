// Finds out why a frame stayed silent. Browsers show a page neither an error of a frame nor its
// headers. But they report what the page's own policies blocked, and a page of the sandbox that every
// page may frame shows whether the sandbox is there at all. Loaded on demand.

const PATIENCE = 3000;
const LOADED_PATIENCE = 500;

/** Finds out why the frame with this address is silent; `otherwise` if its sandbox is there. */
export async function findSilenceReason<Code>(
  src: string,
  otherwise: Code,
): Promise<Code | "frame-isolated" | "sandbox-unreachable"> {
  const { origin } = new URL(src);
  if (await isIsolated(origin)) return "frame-isolated";
  return (await answers(new URL("../status", src).href)) ? otherwise : "sandbox-unreachable";
}

/** Whether this page's embedder policy has blocked a frame of this origin. */
function isIsolated(origin: string): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (found: boolean): void => {
      observer?.disconnect();
      resolve(found);
    };
    const observer = globalThis.ReportingObserver
      ? new ReportingObserver(
          (reports) => finish(reports.some((report) => isBlockedFrame(report, origin))),
          { types: ["coep"], buffered: true },
        )
      : undefined;
    observer?.observe();
    // Reports from before arrive in a task of their own.
    setTimeout(finish, 100, false);
  });
}

function isBlockedFrame(report: Report, origin: string): boolean {
  // Chromium's report has these only as JSON.
  const { body } = JSON.parse(JSON.stringify(report));
  const { destination, disposition, blockedURL } = Object(body);
  return (
    destination === "iframe" &&
    disposition === "enforce" &&
    URL.canParse(blockedURL) &&
    new URL(blockedURL).origin === origin
  );
}

/** Whether a sandbox answers; the page at this address sends one message and nothing else. */
function answers(href: string): Promise<boolean> {
  return new Promise((resolve) => {
    const frame = document.createElement("iframe");
    const finish = (isThere: boolean): void => {
      removeEventListener("message", receive);
      clearTimeout(timer);
      shade.remove();
      resolve(isThere);
    };
    const receive = ({ source, data }: MessageEvent): void => {
      if (source && source === frame.contentWindow) finish(data?.vitrine === "status");
    };
    const timer = setTimeout(finish, PATIENCE, false);
    addEventListener("message", receive);
    frame.setAttribute("sandbox", "allow-scripts");
    frame.src = href;
    // The page sends its message before it has loaded; a browser's error page sends none.
    frame.onload = () => setTimeout(finish, LOADED_PATIENCE, false);
    const shade = document.createElement("div");
    shade.hidden = true;
    shade.attachShadow({ mode: "closed" }).append(frame);
    document.documentElement.append(shade);
  });
}
