import { messagesIn } from "../answer/messages/index.js";
import { costOf, dollars } from "../types/price.js";
import type { QualityReply, RunDay } from "../types/run.js";
import { useWords } from "./words.js";

/** Charts of the daily figures. */
export function Charts({ found: { since, days, price } }: { found: QualityReply }) {
  const { language } = useWords();
  const words = messagesIn(language).quality;
  const [sums, ...others] = days;
  if (!sums) return null;
  const all = others.reduce((total, day) => {
    const added = Object.entries(total).map(([name, value]) => [name, plus(value, day[name as keyof RunDay])]);
    return Object.fromEntries(added) as RunDay;
  }, sums);
  const share = (part: keyof RunDay, of: keyof RunDay) => (day: RunDay) => Number(day[part]) / (Number(day[of]) || 1);
  const chart = (name: string, of: (day: RunDay) => number, format: (value: number) => string) => (
    <LineChart
      key={name}
      name={name}
      told={format(of(all))}
      since={since}
      days={days}
      lines={[{ of }]}
      format={format}
    />
  );
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 }).format;
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format;
  const tokens = (day: RunDay) => (day.inputTokens + day.outputTokens) / day.runs;
  const seconds = (milliseconds: number) => `${number(milliseconds / 1000)} s`;
  return (
    <div class="charts">
      {chart(words.questions, ({ runs }) => runs, number)}
      {chart(words.refused, share("refused", "runs"), percent)}
      {chart(words.unavailable, share("unavailable", "runs"), percent)}
      {chart(words.partial, share("partial", "runs"), percent)}
      {chart(words.unsure, share("unsure", "runs"), percent)}
      {chart(words.quoted, share("quoted", "drafted"), percent)}
      {chart(words.dropped, share("dropped", "drafted"), percent)}
      {chart(words.followUps, share("followUps", "runs"), percent)}
      {chart(words.calls, share("calls", "runs"), number)}
      {chart(words.tokens, tokens, number)}
      {price &&
        chart(
          words.cost,
          (day) => costOf(day, price) / day.runs,
          (cost) => dollars(cost, language),
        )}
      <LineChart
        name={words.time}
        told={seconds(all.milliseconds / all.runs)}
        since={since}
        days={days}
        lines={[
          { name: words.median, of: ({ medianMilliseconds }) => medianMilliseconds },
          { name: words.p95, of: ({ p95Milliseconds }) => p95Milliseconds },
        ]}
        format={seconds}
      />
    </div>
  );
}

const plus = (a: string | number, b: string | number) => (typeof a === "number" && typeof b === "number" ? a + b : a);

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

/**
 * A figure by day, drawn from zero. The title of a point gives its day and value; the title of the chart gives the
 * range.
 */
function LineChart({ name, told, since, days, lines, format }: Props) {
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

const [LEFT, RIGHT, TOP, BOTTOM] = [66, 294, 10, 92];
