import { differInAmount } from "../../../language/disagree.js";
import { mentions, names } from "../../../language/names.js";
import { quantities } from "../../../language/numbers.js";
import { remembered } from "../../../language/remembered.js";
import { sentences } from "../../../language/sentences.js";
import type { Passage } from "../../../types/evidence.js";
import type { Documents } from "../port.js";

interface Contradiction {
  sentence: string;
  other: Passage;
  otherSentence: string;
}

/**
 * Finds sentences of other documents that differ from one of this passage in nothing but an amount. The index of the store
 * says what to compare with, so that it takes one search a passage. A sentence that stands in many documents, each time with
 * another amount, says something of each, as data sheets do; so does one under the name of another thing.
 * @param options.holds tells which documents to compare with, by their ids. Default: all.
 */
export async function contradictionsOf(
  passage: Passage,
  documents: Documents,
  { holds = () => true, signal }: { holds?: (documentId: string) => boolean; signal?: AbortSignal | undefined } = {},
): Promise<Contradiction[]> {
  const own = withAmount(passage.text);
  if (own.length === 0) return [];
  const query = { text: own.join("\n"), mode: "fullText" as const, exclude: [passage.id] };
  const near = await documents.search(query, COMPARED, signal && { signal });
  const others = near.filter(
    (other) => other.documentId !== passage.documentId && holds(other.documentId) && isOfOneThing(passage, other),
  );
  return own.flatMap((sentence) => {
    const found = others.flatMap((other) =>
      withAmount(other.text)
        .filter((otherSentence) => differInAmount(sentence, otherSentence))
        .map((otherSentence) => ({ sentence, other, otherSentence })),
    );
    const amounts = new Set(found.map(({ otherSentence }) => quantities(otherSentence)[0]?.key));
    return amounts.size === 1 ? found : [];
  });
}

/** True if each passage mentions the names in the title and the headings of the other. */
const isOfOneThing = (a: Passage, b: Passage) => hasNamesOf(a, b) && hasNamesOf(b, a);

const hasNamesOf = ({ title, section, text }: Passage, other: Passage) =>
  names(`${other.title}\n${other.section}`).every((name) => mentions(`${title}\n${section}\n${text}`, name));

/** Passages that one is compared with. */
const COMPARED = 10;

const withAmount = remembered((text: string): readonly string[] =>
  sentences(text)
    .filter(({ kind }) => kind !== "heading" && kind !== "code")
    .map(({ start, end }) => text.slice(start, end))
    .filter((sentence) => quantities(sentence).length === 1),
);
