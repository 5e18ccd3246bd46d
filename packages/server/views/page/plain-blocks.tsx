import { useContext } from "preact/hooks";
import { blockData } from "../../src/templates/json-pointer.ts";
import type {
  HeadingBlock,
  MetricBlock,
  NoticeBlock,
  TextBlock,
} from "../../src/templates/page-blocks.ts";
import type { Told } from "../shell/connection.ts";
import { DOWN, Icon, UP } from "../shell/icons.tsx";
import { asNumber, asText, dataOf } from "../shell/records.ts";
import { useShell } from "../shell/shell-context.ts";
import { Loading, Notice } from "../shell/states.tsx";
import { Name, Text, Value } from "../shell/text.tsx";
import { LevelContext } from "./page-context.ts";

/** The value that a block names, and whether it may still come. */
function useData(given: unknown, { stage, result, input }: Told) {
  const value = blockData(given, result ? dataOf(result) : input);
  return { value, isComing: value === undefined && stage !== "ready" };
}

export function Heading({ block, told }: { block: HeadingBlock; told: Told }) {
  const { value } = useData(block.data, told);
  const level = useContext(LevelContext);
  const text = block.text ?? asText(value);
  // Never above the headings of the sections around it.
  const Tag = `h${Math.max(level, block.level ?? 2)}` as "h2";
  return text ? (
    <Tag class="title">
      <Name value={text} length={300} />
    </Tag>
  ) : null;
}

const MOST_PARAGRAPHS = 100;

export function Prose({ block, told }: { block: TextBlock; told: Told }) {
  const { value, isComing } = useData(block.data, told);
  if (block.text === undefined && isComing) return <Loading shape="short" />;
  const text = block.text ?? asText(value) ?? "";
  const paragraphs = text.split(/\n\s*\n/, MOST_PARAGRAPHS).filter((one) => one.trim() !== "");
  return paragraphs.length === 0 ? null : (
    <div class={block.tone === "soft" ? "prose soft" : "prose"}>
      {paragraphs.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a paragraph is its place.
        <p key={at}>
          <Text value={one} short={2000} />
        </p>
      ))}
    </div>
  );
}

export function Message({ block: { tone = "plain", title, text } }: { block: NoticeBlock }) {
  return <Notice tone={tone} title={title} text={text} />;
}

/** One number, large. */
export function Metric({ block, told }: { block: MetricBlock; told: Told }) {
  const { label, data, format, help } = block;
  const { value, isComing } = useData(data, told);
  return (
    <div class="metric">
      <p class="soft">
        <Name value={label} length={100} />
      </p>
      {isComing ? (
        <Loading shape="short" />
      ) : (
        <div class="figures">
          <p class="figure">
            <Value value={value} as={format} short={60} />
          </p>
          <Change block={block} told={told} />
        </div>
      )}
      {help && (
        <p class="faint">
          <Text value={help} short={200} />
        </p>
      )}
    </div>
  );
}

/** By an arrow and in words; the colour only repeats it. */
function Change({ block, told }: { block: MetricBlock; told: Told }) {
  const { change, changeFormat, goodWhen } = block;
  const { value } = useData(change ?? null, told);
  const { label, format } = useShell();
  const amount = change === undefined ? undefined : asNumber(value);
  if (amount === undefined) return null;
  const way = amount > 0 ? "up" : amount < 0 ? "down" : "unchanged";
  const tone = goodWhen && way !== "unchanged" ? (way === goodWhen ? "good" : "bad") : "";
  const { text } = format.write(Math.abs(amount), changeFormat);
  return (
    <p class={`change ${tone}`}>
      {way !== "unchanged" && <Icon path={way === "up" ? UP : DOWN} />}
      <span class="hidden">{label(way)} </span>
      <bdi>{text}</bdi>
    </p>
  );
}
