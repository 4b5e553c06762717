import { useState } from "preact/hooks";
import { placeOf } from "../answer/citations.js";
import { said, withoutCitations } from "../answer/segments.js";
import type { PageTurn } from "./turn.js";
import { useWords, type Words } from "./words.js";

type Copied = Pick<PageTurn, "segments" | "citations">;

/** Copies an answer, with or without its sources. Browsers allow this only over HTTPS and on localhost. */
export function Copy({ turn }: { turn: Copied }) {
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
  return [said(segments).text, [sources, ...lines].join("\n")].join("\n\n");
}
