import { cut, useShell } from "../shell/shell.tsx";
import { fillOf, round, Swatch } from "./looks.tsx";
import { REST } from "./palette.ts";
import { outline, type Slice, slicesOf } from "./pie-shape.ts";
import type { PlotProps } from "./plot.tsx";

const LEAST_LABELLED = 0.04;

/** Slices, and next to them the name and value of each. */
export function Pie({ chart, config, writing, width, height = 280 }: PlotProps) {
  const { label, format } = useShell();
  const { slices, left } = slicesOf(chart);
  const size = Math.min(width, height, 560);
  const radius = size / 2 - 34;
  const isDonut = chart.type === "donut";
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  const nameOf = ({ rows }: Slice): string => {
    const [row = 0] = rows;
    const rest = `${label("rest")} (${format.number(rows.length)})`;
    return rows.length > 1 ? rest : cut(writing.name(row), 80);
  };
  const summary = slices.map((slice) => `${nameOf(slice)} ${writing.share(slice.share)}`);
  return (
    <>
      <div class="pie">
        <svg
          viewBox={`${-size / 2} ${-size / 2} ${size} ${size}`}
          width={size}
          height={size}
          role="img"
          aria-label={`${label(chart.type)}: ${summary.join(", ")}`}
        >
          {slices.map((slice, at) => (
            <path
              key={slice.rows[0]}
              class="slice"
              d={outline(slice, radius, isDonut ? radius * 0.6 : 0)}
              style={fillOf(lookIn(slice, at))}
            />
          ))}
          {slices.map((slice) => (
            <SliceLabel
              key={slice.rows[0]}
              slice={slice}
              radius={radius + 16}
              text={writing.share}
            />
          ))}
          {isDonut && (
            <>
              <text class="total" y="4" text-anchor="middle">
                {writing.shortValue(total)}
              </text>
              <text class="word" y="22" text-anchor="middle">
                {label("total")}
              </text>
            </>
          )}
        </svg>
        {config.legend !== false && (
          <ul class="legend lines">
            {slices.map((slice, at) => (
              <li key={slice.rows[0]}>
                <Swatch series={lookIn(slice, at)} as="fill" />
                <bdi>{nameOf(slice)}</bdi>
                <span class="number">{writing.value(slice.value)}</span>
                <span class="number soft">{writing.share(slice.share)}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {left > 0 && <p class="soft">{label("left", { count: format.number(left) })}</p>}
    </>
  );
}

/** Several rows are the rest. */
const lookIn = ({ rows }: Slice, at: number): number => (rows.length > 1 ? REST : at);

function SliceLabel({
  slice: { from, to, share },
  radius,
  text,
}: {
  slice: Slice;
  radius: number;
  text(share: number): string;
}) {
  if (share < LEAST_LABELLED) return null;
  const angle = (from + to) * Math.PI;
  const [x, y] = [Math.sin(angle) * radius, 4 - Math.cos(angle) * radius];
  return (
    <text class="word" x={round(x)} y={round(y)} text-anchor="middle">
      {text(Math.round(share * 100) / 100)}
    </text>
  );
}
