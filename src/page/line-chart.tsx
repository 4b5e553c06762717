import type { RunDay } from "../types/run.js";

interface Props {
  name: string;
  /** The figure of the whole period, in words. */
  told: string;
  /** ISO date of the first day. The last one is today. */
  since: string;
  days: readonly RunDay[];
  /** With two lines, each has a name. */
  lines: readonly { name?: string; of: (day: RunDay) => number }[];
  format: (value: number) => string;
}

/** A figure by day, drawn from zero. A point tells its day and value; the title tells the range. */
export function LineChart({ name, told, since, days, lines, format }: Props) {
  const today = new Date().toISOString().slice(0, 10);
  const values = lines.flatMap(({ of }) => days.map(of));
  const top = Math.max(...values) || 1;
  const length = Date.parse(today) - Date.parse(since) || 1;
  const x = (day: string) => LEFT + ((Date.parse(day) - Date.parse(since)) / length) * (RIGHT - LEFT);
  const y = (value: number) => BOTTOM - (value / top) * (BOTTOM - TOP);
  return (
    <figure>
      <figcaption>
        {name} <strong>{told}</strong>
        {lines.map(
          ({ name }, i) =>
            name && (
              <span key={name} class={`key line-${i}`}>
                {name}
              </span>
            ),
        )}
      </figcaption>
      <svg viewBox="0 0 300 112" role="img">
        <title>{`${name}: ${format(Math.min(...values))} – ${format(top)}, ${since} – ${today}`}</title>
        <path class="axis" d={`M${LEFT} ${TOP}H${RIGHT}M${LEFT} ${BOTTOM}H${RIGHT}`} />
        <text x={LEFT - 4} y={TOP + 4} class="end">
          {format(top)}
        </text>
        <text x={LEFT - 4} y={BOTTOM + 4} class="end">
          0
        </text>
        <text x={LEFT} y="108">
          {since}
        </text>
        <text x={RIGHT} y="108" class="end">
          {today}
        </text>
        {lines.map(({ of }, i) => (
          <g key={i} class={`line-${i}`}>
            <polyline points={days.map((day) => `${x(day.day)},${y(of(day))}`).join(" ")} />
            {days.map((day) => (
              <circle key={day.day} cx={x(day.day)} cy={y(of(day))} r="2.5">
                <title>{`${day.day}: ${format(of(day))}`}</title>
              </circle>
            ))}
          </g>
        ))}
      </svg>
    </figure>
  );
}

const [LEFT, RIGHT, TOP, BOTTOM] = [52, 294, 10, 92];
