import type { Tool } from "@vitrine/protocol/apps";
import type { ScenarioHost, Story } from "@vitrine/testing";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { widthOf } from "../story-grid.ts";

// A cell is never wider than this; a wider view is drawn smaller.
const CELL_WIDTH = 340;
// Each view is a process of the browser. Cells beyond it wait until others leave the screen.
const MOST_VIEWS = 12;
let shown = 0;

/** One view in one state, loaded while it is on the screen. */
export function StoryCell({
  host,
  story,
  tool,
  wanted,
  label,
  onOpen,
}: {
  host: DevHost;
  story: Story;
  tool: Tool;
  wanted: ScenarioHost;
  label: string;
  onOpen(): void;
}): ReactNode {
  const { profiles } = useFields(host.state, "profiles");
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const profile = profiles.find(({ id }) => id === wanted.profile);
  const width = widthOf(wanted, profile);
  const zoom = Math.min(1, CELL_WIDTH / width);
  const key = JSON.stringify([story, wanted, tool]);

  useEffect(() => {
    const { current } = place;
    if (!current) return;
    const observer = new IntersectionObserver(
      ([entry]) => setNear(entry?.isIntersecting === true),
      { rootMargin: "200px" },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` has everything that is shown.
  useEffect(() => {
    const { current } = place;
    if (!current || !isNear) return;
    let remove: (() => void) | undefined;
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      if (shown >= MOST_VIEWS) {
        waiting = setTimeout(show, 300);
        return;
      }
      shown++;
      const slot = document.createElement("div");
      current.append(slot);
      const close = host.stories.mount(slot, { story, tool, host: wanted, profile });
      remove = () => {
        shown--;
        close();
        slot.remove();
      };
    };
    show();
    return () => {
      clearTimeout(waiting);
      remove?.();
    };
  }, [host, key, isNear]);

  return (
    <figure className="story">
      <div className="story-frame" data-theme={wanted.theme ?? "light"}>
        <div ref={place} style={{ width, zoom }} />
      </div>
      <figcaption>
        <span>{label}</span>
        <span className="quiet">{width} px</span>
        <span className="gap" />
        <button
          type="button"
          className="small plain"
          aria-label={`Open ${story.name} in Run, ${label}`}
          onClick={onOpen}
        >
          Open in Run
        </button>
      </figcaption>
    </figure>
  );
}
