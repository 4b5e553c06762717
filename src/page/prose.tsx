import type { Cited } from "../types/conversation.js";
import type { AnswerBlock, AnswerPiece } from "./blocks.js";
import { useWords } from "./words.js";

type OnCited = (quotes: readonly Cited[]) => void;

/** Text with markers that open their quotes. Whatever it says, it is text and no HTML. */
export function Prose({ blocks, onCited }: { blocks: readonly AnswerBlock[]; onCited: OnCited }) {
  return (
    <>
      {blocks.map(({ kind, lines }, i) => {
        const items = lines.map((pieces, j) => <Pieces key={j} pieces={pieces} onCited={onCited} />);
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

function Pieces({ pieces, onCited }: { pieces: readonly AnswerPiece[]; onCited: OnCited }) {
  return (
    <>
      {pieces.map((piece, i) => {
        if ("words" in piece) return piece.words;
        if ("code" in piece) return <code key={i}>{piece.code}</code>;
        return <MarkerLink key={i} number={piece.marker} quotes={piece.quotes} onCited={onCited} />;
      })}
    </>
  );
}

interface MarkerProps {
  number: number;
  quotes: readonly Cited[];
  onCited: OnCited;
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
