import { useState } from "preact/hooks";
import { placeOf } from "../answer/citations.js";
import type { PageTurn } from "./turn.js";
import { useWords, type Words } from "./words.js";

type Copied = Pick<PageTurn, "text" | "citations">;

/** Copies an answer, with or without its sources. Browsers let pages do so only over HTTPS and on this machine. */
export function Copy({ turn }: { turn: Copied }) {
  const words = useWords();
  const [said, setSaid] = useState("");
  if (!navigator.clipboard) return null;
  const button = (name: string, text: string) => (
    <button
      type="button"
      class="quiet"
      onClick={() =>
        navigator.clipboard.writeText(text).then(
          () => setSaid(words.copied),
          (error: Error) => setSaid(error.message),
        )
      }
    >
      {name}
    </button>
  );
  return (
    <div class="copy">
      {button(words.copy, withoutSources(turn))}
      {turn.citations.length > 0 && button(words.copyAll, withSources(turn, words))}
      <span role="status">{said}</span>
    </div>
  );
}

const withoutSources = ({ text }: Copied): string => text.replace(/ ?\[\d+\]/g, "");

/** Each source on a line, with its place and address. */
function withSources({ text, citations }: Copied, { sources }: Pick<Words, "sources">): string {
  const first = [...Map.groupBy(citations, ({ reference }) => reference).values()].flatMap(([one]) => one ?? []);
  const lines = first
    .toSorted((a, b) => a.reference - b.reference)
    .map(({ reference, title, section, uri }) => {
      const place = placeOf(title, section);
      return `[${reference}] ${place ? `${place} (${uri})` : uri}`;
    });
  return [text, [sources, ...lines].join("\n")].join("\n\n");
}
