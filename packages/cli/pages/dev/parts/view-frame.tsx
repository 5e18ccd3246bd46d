import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { deviceOf } from "../settings.ts";
import { viewScale } from "../view-scale.ts";

/** The view at its device's width, drawn smaller where the page has no room for it. */
export function ViewFrame({
  host,
  onScale,
}: {
  host: DevHost;
  onScale(words: string): void;
}): ReactNode {
  const { settings } = useFields(host.state, "settings");
  const [room, setRoom] = useState(0);
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const { width, scale } = viewScale(deviceOf(settings), { zoom: settings.zoom, room });
  const place = useCallback(
    (element: HTMLDivElement | null) => {
      inner.current = element;
      host.stage.place(element);
    },
    [host],
  );

  useLayoutEffect(() => {
    const watched = outer.current?.parentElement;
    if (!watched) return;
    const measure = (): void => {
      const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(watched);
      const padding = Number.parseFloat(paddingInlineStart) + Number.parseFloat(paddingInlineEnd);
      // A hidden section has no width; the last one is right when it is shown again.
      if (watched.clientWidth > 0) setRoom(watched.clientWidth - padding);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(watched);
    return () => observer.disconnect();
  }, []);

  // A transform doesn't change the layout, so the space that the picture takes is set here. Not through
  // React: a view may change its height in every frame.
  useLayoutEffect(() => {
    const [around, view] = [outer.current, inner.current];
    if (!around || !view) return;
    around.style.blockSize = "";
    if (scale === 1) return;
    const observer = new ResizeObserver(() => {
      around.style.blockSize = `${view.offsetHeight * scale}px`;
    });
    observer.observe(view);
    return () => observer.disconnect();
  }, [scale]);

  const words = scale === 1 ? `${width} px` : `${width} px at ${Math.round(scale * 100)} %`;
  useLayoutEffect(() => {
    if (room > 0) onScale(words);
  }, [onScale, room, words]);

  return (
    <div
      className="picture"
      ref={outer}
      style={room > 0 ? { inlineSize: width * scale } : undefined}
    >
      <div
        className="slots"
        ref={place}
        style={
          room > 0
            ? { inlineSize: width, ...(scale !== 1 && { transform: `scale(${scale})` }) }
            : undefined
        }
      />
    </div>
  );
}
