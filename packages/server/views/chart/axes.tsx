import { round } from "./looks.tsx";
import type { PlotShape } from "./plot-shape.ts";
import { widthOf } from "./text-width.ts";

/** Lines and words along both axes. */
export function Axes({
  shape,
  xLabel,
  yLabel,
}: {
  shape: PlotShape;
  xLabel: string | undefined;
  yLabel: string | undefined;
}) {
  const { left, right, top, bottom, isHorizontal, names, values } = shape;
  const zero = shape.across(0);
  return (
    <>
      {values.map(({ at, text }) => (
        <g key={text + at}>
          <path class="grid" d={isHorizontal ? down(shape, at) : over(shape, at)} />
          <Word shape={shape} at={at} text={text} isBelow={isHorizontal} />
        </g>
      ))}
      {names.map(({ at, text, sub }) => (
        <g key={text + at} class="names">
          <Word shape={shape} at={at} text={text} isBelow={!isHorizontal} />
          {sub && <Word shape={shape} at={at} text={sub} isBelow isSub />}
        </g>
      ))}
      {shape.ends?.map(({ at, text }) => (
        <text
          key={text + at}
          class="word end"
          x={round(shape.isRtl ? left - 10 : right + 10)}
          y={round(at + 4)}
          text-anchor="start"
        >
          {text}
        </text>
      ))}
      {isHorizontal
        ? zero >= left - 1 && zero <= right + 1 && <path class="axis" d={down(shape, zero)} />
        : zero >= top - 1 && zero <= bottom + 1 && <path class="axis" d={over(shape, zero)} />}
      <Title shape={shape} text={isHorizontal ? yLabel : xLabel} isBelow />
      <Title shape={shape} text={isHorizontal ? xLabel : yLabel} isBelow={false} />
    </>
  );
}

const over = ({ left, right }: PlotShape, y: number): string =>
  `M${round(left)} ${round(y)}H${round(right)}`;
const down = ({ top, bottom }: PlotShape, x: number): string =>
  `M${round(x)} ${round(top)}V${round(bottom)}`;

/** A word at the lower axis, or at the one where lines begin. */
function Word({
  shape,
  at,
  text,
  isBelow,
  isSub,
}: {
  shape: PlotShape;
  at: number;
  text: string;
  isBelow: boolean;
  isSub?: boolean;
}) {
  const { left, right, bottom, isRtl, width } = shape;
  if (isBelow) {
    // At the edges a word moves inward rather than out of the picture.
    const half = widthOf(text) / 2;
    const x = Math.min(Math.max(at, half + 2), width - half - 2);
    return (
      <text class="word" x={round(x)} y={round(bottom + (isSub ? 34 : 18))} text-anchor="middle">
        {text}
      </text>
    );
  }
  // The end of a word is to its left where the document runs from right to left.
  const x = round(isRtl ? right + 8 : left - 8);
  return (
    <text class="word" x={x} y={round(at + 4)} text-anchor="end">
      {text}
    </text>
  );
}

/** What an axis is of. */
function Title({
  shape,
  text,
  isBelow,
}: {
  shape: PlotShape;
  text: string | undefined;
  isBelow: boolean;
}) {
  if (!text) return null;
  const { left, right, top, bottom, height, width, isRtl } = shape;
  if (isBelow) {
    return (
      <text class="word" x={round((left + right) / 2)} y={height - 4} text-anchor="middle">
        {text}
      </text>
    );
  }
  const x = isRtl ? width - 4 : 12;
  const y = round((top + bottom) / 2);
  return (
    <text class="word" transform={`translate(${x} ${y}) rotate(-90)`} text-anchor="middle">
      {text}
    </text>
  );
}
