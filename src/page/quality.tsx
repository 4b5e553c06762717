import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messagesIn } from "../answer/messages/index.js";
import { labelOf } from "../types/label.js";
import type { KeptRun, QualityReply } from "../types/run.js";
import { MadeQuestions } from "./made.js";
import { CheckBox, TextField } from "./parts.js";
import { Charts } from "./quality-charts.js";
import { RouteView } from "./route.js";
import { type Drawing, postReview, readQuality } from "./server.js";
import { asked } from "./turn.js";
import { useWords } from "./words.js";

const PERIODS = [7, 30, 90];

/** What operators see: recent runs, or generated questions. Loaded only when opened, since readers do not need it. */
export function Quality({ drawing }: { drawing: Drawing | undefined }) {
  const [place, setPlace] = useState(placeHere);
  useEffect(() => {
    const follow = () => setPlace(placeHere());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return place === "questions" ? <MadeQuestions /> : <Runs tag={place} drawing={drawing} />;
}

const placeHere = () => /^#\/quality\/(\w+)$/.exec(location.hash)?.[1] ?? "";

/** How good recent answers were. With a tag, only the failed runs that have it are listed. */
function Runs({ tag, drawing }: { tag: string; drawing: Drawing | undefined }) {
  const { language, loading } = useWords();
  const words = messagesIn(language).quality;
  const [days, setDays] = useState(30);
  const [found, setFound] = useState<QualityReply>();
  const [fault, setFault] = useState("");
  const failed = useRef<HTMLHeadingElement>(null);

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
        {found?.hasQuestions && <a href="#/quality/questions">{words.made}</a>}
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
          <Listing
            title={words.wentWrong}
            heads={[words.tag, words.runs, words.remedy]}
            rows={found.tags.map(({ tag, runs }) => [
              <a href={`#/quality/${tag}`}>{tag}</a>,
              runs,
              messagesIn(language).failure[tag](SEEN).remedy,
            ])}
          />
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
            rows={found.unanswered.map(({ question, runs, at }) => [question || words.notKept, runs, at.slice(0, 10)])}
          />
        </>
      )}
      {found && <Documents found={found} />}
    </main>
  );
}

/** The documents that need care. Old ones are listed even if nothing was asked in the period. */
function Documents({ found }: { found: QualityReply }) {
  const words = messagesIn(useWords().language).quality;
  return (
    <>
      <Listing
        title={words.disliked}
        heads={[words.document, words.runs]}
        rows={found.disliked.map(({ document, runs }) => [document, runs])}
      />
      <Listing
        title={words.disagreeing}
        heads={[words.newer, words.older, words.runs]}
        rows={found.disagreeing.map(({ newer, older, runs }) => [newer, older, runs])}
      />
      <Listing
        title={words.stale(found.stale.count)}
        heads={[words.document, words.reviewedAt]}
        rows={found.stale.documents.map(({ document, reviewedAt }) => [document, reviewedAt])}
      />
      <Listing
        title={words.expired(found.expired.count)}
        heads={[words.document, words.until, words.successor]}
        rows={found.expired.documents.map(({ document, until, successor }) => [document, until, successor])}
      />
      <p class="hint">{words.check}</p>
      {found.days.length > 0 && (
        <section>
          <h3>{words.neverCited(found.neverCited.count)}</h3>
          <ul>
            {found.neverCited.documents.map((document) => (
              <li key={document}>{document}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Stands for the details of a run: the remedy here is for many runs. */
const SEEN = {
  places: [],
  failed: [],
  isEmpty: false,
  isFiltered: false,
  graded: 1,
  read: 1,
  relevance: 0,
  rank: 1,
  dropped: 1,
  hasModel: true,
};

/** A table under a heading, or a short text if it has no rows. */
function Listing({ title, heads, rows }: { title: string; heads: string[]; rows: ComponentChildren[][] }) {
  const { none } = messagesIn(useWords().language).quality;
  return (
    <section>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p class="hint">{none}</p>
      ) : (
        <table>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                {row.map((cell, j) => (
                  <td key={j}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** A line that opens the route of the run. Only one is open at a time, since the drawing has an id for its arrow. */
function FailedRun({ run, drawing }: { run: KeptRun; drawing: Drawing | undefined }) {
  const words = useWords();
  const own = messagesIn(words.language).quality;
  const [isOpen, setIsOpen] = useState(false);
  const time = new Intl.DateTimeFormat(words.language, { dateStyle: "short", timeStyle: "short" });
  const { question, failures, feedback, route } = run;
  const label = labelOf(run);
  return (
    <details name="run" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <time dateTime={run.at}>{time.format(new Date(run.at))}</time> <span>{question || own.notKept}</span>{" "}
        <span class="hint">
          {[
            `#${run.id}`,
            label === "answered" ? own.answered : words[label],
            ...failures,
            ...(feedback === "down" ? [own.down] : []),
          ].join(" · ")}
        </span>
      </summary>
      {isOpen && <RouteView turn={{ ...asked(question), decisions: route, isRunning: false }} drawing={drawing} />}
      {isOpen && question && !run.isFollowUp && <ReviewFields run={run} />}
    </details>
  );
}

/** A review of what went wrong and what is right. It becomes a question for `emend eval`. */
function ReviewFields({ run }: { run: KeptRun }) {
  const { language, tell } = useWords();
  const own = messagesIn(language).quality;
  const [label, setLabel] = useState<string>(run.failures[0] ?? "");
  const [expected, setExpected] = useState("");
  const [unanswerable, setUnanswerable] = useState(false);
  const [reply, setReply] = useState("");
  const review = { run: run.id, ...(label && { label }), expected: unanswerable ? "" : expected, unanswerable };
  return (
    <form
      class="card review"
      onSubmit={(event) => {
        event.preventDefault();
        postReview(review).then(
          () => setReply(own.reviewed),
          (error: Error) => setReply(error.message),
        );
      }}
    >
      <label>
        {own.wentWrong}
        <select value={label} onChange={({ currentTarget }) => setLabel(currentTarget.value)}>
          {["", ...Object.keys(messagesIn(language).failure)].map((tag) => (
            <option key={tag}>{tag}</option>
          ))}
        </select>
      </label>
      <TextField label={own.expected} value={expected} onValue={setExpected} isNeeded={!unanswerable} />
      <CheckBox label={own.unanswerable} checked={unanswerable} onChecked={setUnanswerable} />
      <button type="submit">{tell}</button>
      {reply && <p role="status">{reply}</p>}
    </form>
  );
}
