import { type ReactNode, useRef, useState } from "react";
import type { CheckFinding, CheckPicture } from "../../../src/dev/dev-check.ts";

// The order of the runs; others follow.
const ORDER = [
  "normal",
  "waiting",
  "dark",
  "narrow",
  "rtl",
  "late",
  "empty",
  "duplicate",
  "error",
  "cancelled",
  "no-styles",
  "no-tools",
];

/** A grid with a picture of each state of each view. */
export function ContactSheet({
  pictures,
  findings,
}: {
  pictures: readonly CheckPicture[];
  findings: readonly CheckFinding[];
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [large, setLarge] = useState<CheckPicture | undefined>();
  const tools = [...new Set(pictures.map(({ tool }) => tool))];
  const show = (picture: CheckPicture): void => {
    setLarge(picture);
    dialog.current?.showModal();
  };
  return (
    <>
      {tools.map((tool) => (
        <section key={tool} className="contact-sheet">
          <h3>{tool}</h3>
          <ol>
            {pictures
              .filter((one) => one.tool === tool)
              .toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
              .map((picture) => (
                <State key={picture.state} {...{ picture, findings, show }} />
              ))}
          </ol>
        </section>
      ))}
      <dialog ref={dialog} className="picture" aria-label={large && titleOf(large)}>
        {large && <img src={addressOf(large)} alt={titleOf(large)} />}
        <form method="dialog">
          <button type="submit" className="plain">
            Close
          </button>
        </form>
      </dialog>
    </>
  );
}

function State({
  picture,
  findings,
  show,
}: {
  picture: CheckPicture;
  findings: readonly CheckFinding[];
  show(picture: CheckPicture): void;
}): ReactNode {
  const own = findings.filter(
    ({ tool, state }) => tool === picture.tool && state === picture.state,
  );
  const title = titleOf(picture);
  return (
    <li>
      <button type="button" onClick={() => show(picture)} aria-label={`Enlarge: ${title}`}>
        <img src={addressOf(picture)} alt="" />
      </button>
      <p>
        {title} <span className="quiet">{picture.width} px</span>
      </p>
      {own.map(({ code, severity, cause }) => (
        <p key={cause} className="marker" data-severity={severity} title={cause}>
          {code}
        </p>
      ))}
    </li>
  );
}

function titleOf({ title }: CheckPicture): string {
  return (title[0] ?? "").toUpperCase() + title.slice(1);
}

function addressOf({ png }: CheckPicture): string {
  return `data:image/png;base64,${png}`;
}
