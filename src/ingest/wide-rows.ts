import { lastAtOrBefore } from "../text/spans.js";
import { cells } from "../text/tables.js";
import { tokensIn } from "../text/token-count.js";
import type { SourceDocument } from "../types/evidence.js";
import { LARGEST_HEAD, mostCharacters } from "./formats/content.js";
import type { PassageBlock } from "./pieces.js";

/** A document of which some tables became paragraphs. */
interface Rewritten {
  document: SourceDocument;
  /** Returns where in its text the part of the original text stands that begins at this offset. */
  moved(offset: number): number;
}

/**
 * Writes the rows of tables whose header is too long to be repeated in each passage as paragraphs, each cell with the name
 * of its column: "Name: Ann; Amount: 5". Undefined if there is no such table, or if the text would become far too long.
 */
export function wideRowsInWords(document: SourceDocument, blocks: readonly PassageBlock[]): Rewritten | undefined {
  const { text, places } = document;
  const pieces: string[] = [];
  /** Where a part of the text begins, and where it stands afterwards. */
  const moves: { from: number; to: number }[] = [{ from: 0, to: 0 }];
  const most = mostCharacters(text.length);
  let [copied, length] = [0, 0];
  const move = (from: number) => moves.push({ from, to: length });
  const write = (piece: string) => {
    pieces.push(piece);
    length += piece.length;
  };
  blocks.forEach(({ head, row: first }, i) => {
    const isTable = head && first && blocks[i + 1]?.row && !blocks[i + 1]?.head;
    if (!isTable || tokensIn(text, head.start, head.end) <= LARGEST_HEAD) return;
    const names = cells(text.slice(first.start, first.end));
    if (names.every((name) => name === "")) return;
    write(text.slice(copied, head.start));
    move(head.start);
    copied = head.end;
    for (let at = i + 1; blocks[at]?.row && !blocks[at]?.head && length <= most; at++) {
      const row = blocks[at]?.row ?? first;
      if (at > i + 1) write("\n\n");
      move(row.start);
      write(inWords(names, cells(text.slice(row.start, row.end))));
      copied = row.end;
    }
    move(copied);
  });
  if (pieces.length === 0 || length > most) return undefined;
  write(text.slice(copied));
  const moved = (offset: number) => {
    const { from, to } = moves[lastAtOrBefore(moves, offset, (each) => each.from)] ?? { from: 0, to: 0 };
    return to + offset - from;
  };
  return {
    document: {
      ...document,
      text: pieces.join(""),
      ...(places && { places: places.map((place) => ({ ...place, start: moved(place.start) })) }),
    },
    moved,
  };
}

function inWords(names: readonly string[], row: readonly string[]): string {
  const named = row.flatMap((cell, i) => (cell === "" ? [] : [{ name: names[i] ?? "", cell }]));
  return named.map(({ name, cell }) => (name === "" ? cell : `${name}: ${cell}`)).join("; ");
}
