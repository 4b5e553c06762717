import { amountAskedBy, differInAmount } from "../facts/disagree.js";
import { mentions, names } from "../facts/names.js";
import { quantities } from "../facts/numbers.js";
import { memoize } from "../text/memoize.js";
import { outlineOf } from "../text/outline.js";
import { jaccard } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import type { Documents } from "../tools/documents/port.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { Passage } from "../types/evidence.js";

interface Contradiction {
  sentence: string;
  other: Passage;
  otherSentence: string;
}

/**
 * Finds sentences of other documents that differ from a sentence of this passage only in an amount. With an encoder,
 * also finds those that state the same thing in other words: turned into a question for its amount, each sentence is
 * answered by the other. One search per passage finds what to compare with. A sentence that many documents have, each
 * with a different amount, states something about each of them, as in data sheets, and is no contradiction. Neither is
 * a sentence under the name of another thing.
 * @param options.holds true for the ids of the documents to compare with. Default: all.
 */
export async function contradictionsOf(
  passage: Passage,
  documents: Documents,
  { holds = () => true, encoder, signal }: ContradictionOptions = {},
): Promise<Contradiction[]> {
  const own = withAmount(passage.text);
  if (own.length === 0) return [];
  const query = { text: own.join("\n"), mode: "fullText" as const, exclude: [passage.id] };
  const near = await documents.search(query, COMPARED, signal && { signal });
  const others = near.filter(
    (other) => other.documentId !== passage.documentId && holds(other.documentId) && isOfOneThing(passage, other),
  );
  const found: Contradiction[] = [];
  for (const sentence of own) {
    const pairs = others.flatMap((other) =>
      withAmount(other.text).map((otherSentence) => ({ sentence, other, otherSentence })),
    );
    const plain = pairs.filter((pair) => differInAmount(sentence, pair.otherSentence));
    const all = plain.length > 0 || !encoder ? plain : await inOtherWords(passage, pairs, encoder, signal);
    const amounts = new Set(all.map(({ otherSentence }) => quantities(otherSentence)[0]?.key));
    if (amounts.size === 1) found.push(...all);
  }
  return found;
}

interface ContradictionOptions {
  holds?: (documentId: string) => boolean;
  encoder?: Encoder | undefined;
  signal?: AbortSignal | undefined;
}

async function inOtherWords(
  passage: Passage,
  pairs: readonly Contradiction[],
  encoder: Encoder,
  signal: AbortSignal | undefined,
): Promise<Contradiction[]> {
  const asked = pairs.flatMap((pair) => {
    const questions = amountAskedBy(pair.sentence, pair.otherSentence);
    return questions && !isRow(pair.sentence) && !isRow(pair.otherSentence) ? { pair, questions } : [];
  });
  const likeness = ({ pair }: (typeof asked)[number]) =>
    jaccard(new Set(contentTerms(pair.sentence)), new Set(contentTerms(pair.otherSentence)));
  asked.sort((a, b) => likeness(b) - likeness(a)).splice(JUDGED);
  const under = ({ title }: Passage, sentence: string) => (title === "" ? sentence : `${title}\n${sentence}`);
  const judged = await encoder.judge(
    asked.flatMap(({ pair, questions: [question, otherQuestion] }) => [
      { text: question, passage: under(pair.other, pair.otherSentence) },
      { text: otherQuestion, passage: under(passage, pair.sentence) },
    ]),
    { signal },
  );
  const answers = (i: number) => (judged[i]?.answerability ?? 0) >= ANSWERS;
  return asked.flatMap(({ pair }, i) => (answers(2 * i) && answers(2 * i + 1) ? pair : []));
}

/** The most sentences that a sentence is judged against. */
const JUDGED = 4;

const isRow = (sentence: string) => sentence.includes("|");

/** Chosen on 40 pairs of sentences, half of them about the same thing (docs/documents.md). */
const ANSWERS = 0.75;

/** True if each passage mentions the names in the title and the headings of the other. */
const isOfOneThing = (a: Passage, b: Passage) => hasNamesOf(a, b) && hasNamesOf(b, a);

const hasNamesOf = ({ title, section, text }: Passage, other: Passage) =>
  names(`${other.title}\n${other.section}`).every((name) => mentions(`${title}\n${section}\n${text}`, name));

/** The most passages that a passage is compared with. */
const COMPARED = 10;

const withAmount = memoize((text: string): readonly string[] =>
  outlineOf(text)
    .filter(({ kind }) => kind !== "heading" && kind !== "code")
    .map((unit) => unit.text)
    .filter((sentence) => quantities(sentence).length === 1),
);
