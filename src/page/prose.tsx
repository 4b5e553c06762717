import type { Piece, Segment } from "../types/answer.js";
import type { Cited } from "../types/conversation.js";
import { blocksOf } from "./turn.js";
import { useWords } from "./words.js";

interface Props {
  segments: readonly Segment[];
  citations: readonly Cited[];
  onCited: (quotes: readonly Cited[]) => void;
}

/** An answer with markers that open their quotes. All of it is rendered as text, never as HTML. */
export function Prose({ segments, ...cited }: Props) {
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

function Line({ pieces, citations, onCited }: Omit<Props, "segments"> & { pieces: readonly Piece[] }) {
  return (
    <>
      {pieces.map(({ text, reference, claimIndex }, i) => {
        if (reference === undefined) return <Words key={i} text={text} />;
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
function Words({ text }: { text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}</>;
}

interface MarkerProps {
  number: number;
  quotes: readonly Cited[];
  onCited: Props["onCited"];
}

export function MarkerLink({ number, quotes, onCited }: MarkerProps) {
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
