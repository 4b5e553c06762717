import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messagesIn } from "../answer/messages/index.js";
import type { KeptRun, QualityReply, RunDay } from "../types/run.js";
import { LineChart } from "./line-chart.js";
import { RouteView } from "./route.js";
import { type Drawing, readQuality } from "./server.js";
import { asked } from "./turn.js";
import { useWords } from "./words.js";

const PERIODS = [7, 30, 90];

/** How good the answers of the last days were, for operators. It is loaded when it is opened: readers do without it. */
export function Quality({ drawing }: { drawing: Drawing | undefined }) {
  const { language, loading } = useWords();
  const words = messagesIn(language).quality;
  const [days, setDays] = useState(30);
  const [tag, setTag] = useState(tagHere);
  const [found, setFound] = useState<QualityReply>();
  const [fault, setFault] = useState("");
  const failed = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    const follow = () => setTag(tagHere());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    let isWanted = true;
    setFault("");
    readQuality(days, tag).then(
      (reply) => isWanted && setFound(reply),
      (error) => isWanted && setFault(error.message),
    );
    return () => {
      isWanted = false;
    };
  }, [days, tag]);
  useEffect(() => {
    if (tag) failed.current?.focus();
  }, [tag]);

  return (
    <main class="quality">
      <link rel="stylesheet" href="quality.css" />
      <header>
        <h2>{words.title}</h2>
        <label>
          <span class="unseen">{words.period}</span>
          <select id="question" value={days} onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}>
            {PERIODS.map((period) => (
              <option key={period} value={period}>
                {words.days(period)}
              </option>
            ))}
          </select>
        </label>
      </header>
      <div role="status">
        {fault && <p class="fault">{fault}</p>}
        {!found && !fault && <p class="doing">{loading}</p>}
        {found?.days.length === 0 && <p>{words.nothing}</p>}
      </div>
      {found && found.days.length > 0 && (
        <>
          <Charts found={found} />
          <Listing title={words.tags} heads={[words.tag, words.runs, words.remedy]} isEmpty={found.tags.length === 0}>
            {found.tags.map(({ tag, runs }) => (
              <tr key={tag}>
                <td>
                  <a href={`#/quality/${tag}`}>{tag}</a>
                </td>
                <td>{runs}</td>
                <td>{messagesIn(language).failure[tag](SEEN).remedy}</td>
              </tr>
            ))}
          </Listing>
          <section>
            <h3 tabIndex={-1} ref={failed}>
              {tag ? words.failedWith(tag) : words.failed}
            </h3>
            {tag && <a href="#/quality">{words.allFailed}</a>}
            {found.failed.length === 0 && <p class="hint">{words.none}</p>}
            {found.failed.map((run) => (
              <FailedRun key={run.id} run={run} drawing={drawing} />
            ))}
          </section>
          <Listing
            title={words.unanswered}
            heads={[words.question, words.runs, words.newest]}
            isEmpty={found.unanswered.length === 0}
          >
            {found.unanswered.map(({ question, runs, at }) => (
              <tr key={at}>
                <td>{question || words.notKept}</td>
                <td>{runs}</td>
                <td>{at.slice(0, 10)}</td>
              </tr>
            ))}
          </Listing>
          <Listing title={words.disliked} heads={[words.document, words.runs]} isEmpty={found.disliked.length === 0}>
            {found.disliked.map(({ document, runs }) => (
              <tr key={document}>
                <td>{document}</td>
                <td>{runs}</td>
              </tr>
            ))}
          </Listing>
          <section>
            <h3>{words.neverCited(found.neverCited.count)}</h3>
            <ul>
              {found.neverCited.documents.map((document) => (
                <li key={document}>{document}</li>
              ))}
            </ul>
          </section>
        </>
      )}
    </main>
  );
}

const tagHere = () => /^#\/quality\/(\w+)$/.exec(location.hash)?.[1] ?? "";

/** What a remedy is named by when many runs had the failure. */
const SEEN = { places: [], failed: [], isEmpty: false, graded: 1, relevance: 0, rank: 1, dropped: 1, hasModel: true };

function Charts({ found: { since, days } }: { found: QualityReply }) {
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
      {chart(words.quoted, share("quoted", "drafted"), percent)}
      {chart(words.dropped, share("dropped", "drafted"), percent)}
      {chart(words.followUps, share("followUps", "runs"), percent)}
      {chart(words.calls, share("calls", "runs"), number)}
      {chart(words.tokens, tokens, number)}
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

/** A table under a heading; a word in its place if it has no rows. */
function Listing(props: { title: string; heads: string[]; isEmpty: boolean; children: ComponentChildren }) {
  const { none } = messagesIn(useWords().language).quality;
  return (
    <section>
      <h3>{props.title}</h3>
      {props.isEmpty ? (
        <p class="hint">{none}</p>
      ) : (
        <table>
          <thead>
            <tr>
              {props.heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{props.children}</tbody>
        </table>
      )}
    </section>
  );
}

/** A line that opens the route of the run. One is open at a time, since the drawing names its arrow. */
function FailedRun({ run, drawing }: { run: KeptRun; drawing: Drawing | undefined }) {
  const words = useWords();
  const own = messagesIn(words.language).quality;
  const [isOpen, setIsOpen] = useState(false);
  const time = new Intl.DateTimeFormat(words.language, { dateStyle: "short", timeStyle: "short" });
  const { question, status, failures, feedback, route } = run;
  return (
    <details name="run" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <time dateTime={run.at}>{time.format(new Date(run.at))}</time> <span>{question || own.notKept}</span>{" "}
        <span class="hint">
          {[
            `#${run.id}`,
            status === "answered" ? own.answered : words[status],
            ...failures,
            ...(feedback === "down" ? [own.down] : []),
          ].join(" · ")}
        </span>
      </summary>
      {isOpen && <RouteView turn={{ ...asked(question), decisions: route, isRunning: false }} drawing={drawing} />}
    </details>
  );
}
