import { useEffect, useRef, useState } from "preact/hooks";
import { placeOf, quotesShown } from "../answer/citations.js";
import { reasonInWords } from "../answer/messages/index.js";
import { withoutCitations, withText } from "../answer/segments.js";
import type { Piece } from "../types/answer.js";
import type { Cited } from "../types/conversation.js";
import { labelOf } from "../types/label.js";
import { tell } from "./server.js";
import { blocksOf, type PageTurn } from "./turn.js";
import { done, useWords, type Words } from "./words.js";

interface Props {
  turn: PageTurn;
  thread: string;
  onCited: (quotes: readonly Cited[]) => void;
  /** Opens the route of the turn; absent where none is shown. */
  onRoute?: () => void;
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
        {onRoute && decisions.length > 0 && (
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

type ProseProps = Pick<PageTurn, "segments" | "citations"> & Pick<Props, "onCited">;

/** An answer with markers that open their quotes. All of it is rendered as text, never as HTML. */
function Prose({ segments, ...cited }: ProseProps) {
  return (
    <>
      {blocksOf(segments).map(({ kind, lines }, i) => {
        const items = lines.map((pieces, j) => <Line key={j} pieces={pieces} {...cited} />);
        if (kind === "text") return items.map((item, j) => <p key={`${i}.${j}`}>{item}</p>);
        const List = kind === "steps" ? "ol" : "ul";
        return (
          <List key={i}>
            {items.map((item, j) => (
              <li key={j}>{item}</li>
            ))}
          </List>
        );
      })}
    </>
  );
}

function Line({ pieces, citations, onCited }: Omit<ProseProps, "segments"> & { pieces: readonly Piece[] }) {
  return (
    <>
      {pieces.map(({ text, reference, claimIndex }, i) => {
        if (reference === undefined) return <TextAndCode key={i} text={text} />;
        // A marker opens the quotes of its own statement, or all quotes of its source if it is outside of any
        // statement.
        const quotes = citations.filter(
          (cited) => cited.reference === reference && cited.claimIndex === (claimIndex ?? cited.claimIndex),
        );
        return (
          <span key={i}>
            {/* A marker stays on the line of the word before it. */}
            {text.startsWith(" ") && "\u202f"}
            <MarkerLink number={reference} quotes={quotes} onCited={onCited} />
          </span>
        );
      })}
    </>
  );
}

/** Words, and code between backticks. */
function TextAndCode({ text }: { text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}</>;
}

function MarkerLink({
  number,
  quotes,
  onCited,
}: Pick<Props, "onCited"> & { number: number; quotes: readonly Cited[] }) {
  const words = useWords();
  const [first] = quotes;
  if (!first) return <>[{number}]</>;
  return (
    <button
      type="button"
      class="marker"
      title={first.quote}
      aria-label={words.source(number, first.title)}
      onClick={() => onCited(quotes)}
    >
      {number}
    </button>
  );
}

function Sources({ citations, onCited }: Pick<PageTurn, "citations"> & Pick<Props, "onCited">) {
  const words = useWords();
  const sources = [...Map.groupBy(citations, ({ reference }) => reference)].toSorted(([a], [b]) => a - b);
  if (sources.length === 0) return null;
  return (
    <div class="sources">
      <ol aria-label={words.sources}>
        {sources.map(([number, quotes]) => (
          <li key={number} value={number}>
            <button type="button" class="link" onClick={() => onCited(quotes)}>
              {placeOf(quotes[0]?.title || quotes[0]?.uri || "", quotes[0]?.section ?? "")}
            </button>
            {quotes[0]?.collection && <span class="hint"> · {quotes[0].collection}</span>}
            {quotesShown(quotes).map((quote) => (
              <blockquote key={quote} class="line">
                {quote}
              </blockquote>
            ))}
          </li>
        ))}
      </ol>
    </div>
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
    .map(({ reference, title, section, uri, collection }) => {
      const place = placeOf(title, section);
      return [`[${reference}] ${place ? `${place} (${uri})` : uri}`, collection].filter(Boolean).join(" · ");
    });
  return [withText(segments).text, [sources, ...lines].join("\n")].join("\n\n");
}

/** The reader's opinion of an answer. The verdict is sent at once, and again with a reason if the reader gives one. */
function FeedbackForm({ thread, question }: { thread: string; question: string }) {
  const words = useWords();
  const [verdict, setVerdict] = useState<"up" | "down">();
  const [reason, setReason] = useState("");
  const [expected, setExpected] = useState("");
  const [reply, setReply] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.scrollIntoView({ block: "nearest" }), [verdict]);

  const send = (verdict: "up" | "down") =>
    tell({ threadId: thread, question, verdict, reason, expected: verdict === "down" ? expected : "" });
  const judge = (verdict: "up" | "down") => {
    setVerdict(verdict);
    setReply("");
    send(verdict).catch((error: Error) => setReply(error.message));
  };
  const thumb = (name: "up" | "down") => (
    <button
      type="button"
      class="quiet thumb"
      aria-pressed={verdict === name}
      aria-label={name === "up" ? words.good : words.bad}
      title={name === "up" ? words.good : words.bad}
      onClick={() => judge(name)}
    >
      <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" class={name}>
        <path d="M2 21h4V9H2zm20-11a2 2 0 0 0-2-2h-6l1-5-1.5-2L7 8v11a2 2 0 0 0 2 2h8a2 2 0 0 0 2-1.5l3-7z" />
      </svg>
    </button>
  );
  return (
    <div class="feedback">
      {thumb("up")}
      {thumb("down")}
      {verdict && reply === "" && (
        <form
          ref={form}
          class="card"
          onSubmit={(event) => {
            event.preventDefault();
            send(verdict).then(
              () => setReply(words.thanks),
              (error: Error) => setReply(error.message),
            );
          }}
        >
          <label>
            {words.why}
            <textarea
              rows={2}
              maxLength={2_000}
              value={reason}
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
          </label>
          {verdict === "down" && (
            <label>
              {words.expected}
              <input
                maxLength={1_000}
                value={expected}
                onInput={({ currentTarget }) => setExpected(currentTarget.value)}
              />
            </label>
          )}
          <button type="submit">{words.tell}</button>
        </form>
      )}
      {reply && <p role="status">{reply}</p>}
    </div>
  );
}
