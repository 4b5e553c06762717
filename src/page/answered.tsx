import { useState } from "preact/hooks";
import { placeOf, quotesShown } from "../answer/citations.js";
import { reasonInWords } from "../answer/messages/index.js";
import { withoutCitations, withText } from "../answer/segments.js";
import type { Cited } from "../types/conversation.js";
import { labelOf } from "../types/label.js";
import { FeedbackForm } from "./feedback.js";
import { MarkerLink, Prose } from "./prose.js";
import type { PageTurn } from "./turn.js";
import { done, useWords, type Words } from "./words.js";

interface Props {
  turn: PageTurn;
  thread: string;
  onCited: (quotes: readonly Cited[]) => void;
  onRoute: () => void;
  onReply: (reply: string) => void;
}

/** A question with its answer so far. */
export function Answered({ turn, thread, onCited, onRoute, onReply }: Props) {
  const words = useWords();
  const { question, segments, status, stopReason, citations, decisions, takenBack, waiting, isRunning, fault } = turn;
  const step = decisions.at(-1)?.to ?? "understand";
  const label = status && labelOf({ status, stopReason });
  const isSaid = segments.length > 0;
  // Any other answer has citations.
  const isSmallTalk = status === "answered" && citations.length === 0;
  return (
    <article class="turn" aria-busy={isRunning}>
      <h2>{question}</h2>
      {isRunning && <p class="doing">{words.steps[step] ?? step} …</p>}
      {label && label !== "answered" && <p class={`status ${label}`}>{words[label]}</p>}
      <div class="prose">
        {isSaid ? (
          <Prose segments={segments} citations={citations} onCited={onCited} />
        ) : (
          <Growing turn={turn} onCited={onCited} />
        )}
      </div>
      {waiting?.type === "approve" && <Approve queries={waiting.queries} onReply={onReply} />}
      {fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {takenBack.length > 0 && (
        <details class="taken-back">
          <summary>{words.takenBack(takenBack.length)}</summary>
          {takenBack.map((one, i) => (
            <p key={i}>
              <del>{one.text}</del> {reasonInWords(one, words.language)}
            </p>
          ))}
        </details>
      )}
      {isSaid && <Sources citations={citations} onCited={onCited} />}
      <footer>
        {decisions.length > 0 && (
          <button type="button" class="quiet took" onClick={onRoute}>
            {done(decisions, words)}
          </button>
        )}
        {isSaid && !isRunning && <Copy turn={turn} />}
        {isSaid && !isRunning && status !== "needs_clarification" && !isSmallTalk && (
          <FeedbackForm thread={thread} question={question} />
        )}
      </footer>
    </article>
  );
}

/** The sentences that were checked so far, and those that wait for their check. */
function Growing({ turn: { claims, pending }, onCited }: Pick<Props, "turn" | "onCited">) {
  const words = useWords();
  return (
    <p>
      {claims.map(({ text, citations }, i) => (
        <span key={i} class="sentence">
          {`${text}\u202f`}
          {[...Map.groupBy(citations, ({ reference }) => reference)].map(([number, quotes]) => (
            <MarkerLink key={number} number={number} quotes={quotes} onCited={onCited} />
          ))}{" "}
        </span>
      ))}
      {pending.map((text) => (
        <span key={text} class="sentence pending" title={words.pending}>
          {`${text} `}
        </span>
      ))}
    </p>
  );
}

function Sources({ citations, onCited }: Pick<PageTurn, "citations"> & Pick<Props, "onCited">) {
  const words = useWords();
  const sources = [...Map.groupBy(citations, ({ reference }) => reference)].toSorted(([a], [b]) => a - b);
  if (sources.length === 0) return null;
  return (
    <section class="sources" aria-label={words.sources}>
      <ol>
        {sources.map(([number, quotes]) => (
          <li key={number} value={number}>
            <button type="button" class="link" onClick={() => onCited(quotes)}>
              {placeOf(quotes[0]?.title || quotes[0]?.uri || "", quotes[0]?.section ?? "")}
            </button>
            {quotesShown(quotes).map((quote) => (
              <blockquote key={quote} class="line">
                {quote}
              </blockquote>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Shows the queries that would go to a web search: to be sent, changed or refused. */
function Approve({ queries, onReply }: { queries: readonly string[]; onReply: (reply: string) => void }) {
  const words = useWords();
  const shown = queries.join("\n");
  const [text, setText] = useState(shown);
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        onReply(text === shown ? "yes" : text.trim() || "no");
      }}
    >
      <label>
        <strong>{words.maySearch}</strong> <span class="hint">{words.oneEach}</span>
        <textarea
          rows={Math.max(2, queries.length)}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button type="submit">{words.search}</button>
        <button type="button" class="second" onClick={() => onReply("no")}>
          {words.dont}
        </button>
      </div>
    </form>
  );
}

type Copied = Pick<PageTurn, "segments" | "citations">;

/** Copies an answer, with or without its sources. Browsers allow this only over HTTPS and on localhost. */
function Copy({ turn }: { turn: Copied }) {
  const words = useWords();
  const [done, setDone] = useState("");
  if (!navigator.clipboard) return null;
  const button = (name: string, text: string) => (
    <button
      type="button"
      class="quiet"
      onClick={() =>
        navigator.clipboard.writeText(text).then(
          () => setDone(words.copied),
          (error: Error) => setDone(error.message),
        )
      }
    >
      {name}
    </button>
  );
  return (
    <div class="copy">
      {button(words.copy, withoutCitations(turn.segments))}
      {turn.citations.length > 0 && button(words.copyAll, withSources(turn, words))}
      <span role="status">{done}</span>
    </div>
  );
}

/** Each source on a line, with its place and address. */
function withSources({ segments, citations }: Copied, { sources }: Pick<Words, "sources">): string {
  const first = [...Map.groupBy(citations, ({ reference }) => reference).values()].flatMap(([one]) => one ?? []);
  const lines = first
    .toSorted((a, b) => a.reference - b.reference)
    .map(({ reference, title, section, uri }) => {
      const place = placeOf(title, section);
      return `[${reference}] ${place ? `${place} (${uri})` : uri}`;
    });
  return [withText(segments).text, [sources, ...lines].join("\n")].join("\n\n");
}
