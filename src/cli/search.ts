import { placeOf } from "../answer/citations.js";
import { EmptyStoreError, StoreUnavailableError, toError, UsageError } from "../errors.js";
import { askedTime, timeOf } from "../reading/asked-time.js";
import { type DatedPassage, searchHolding } from "../reading/holding.js";
import { filterOf } from "../server/collections.js";
import { languageOf } from "../text/language.js";
import { coverage } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import type { DocumentQuery, Documents, ScoredPassage } from "../tools/documents/port.js";
import { candidatesFor } from "../tools/documents/rank.js";
import { passageText } from "../tools/documents/terms.js";
import { storeName } from "../tools/store/settings.js";
import type { Passage } from "../types/evidence.js";
import { chosenBy } from "./collections.js";
import { settingsOf, usingTools } from "./open.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, cutToWidth, escapedJson, oneLine, screen, validInWords, warn } from "./screen.js";

/** Where a search in one mode found a passage. */
interface Rank {
  /** From 1. */
  rank: number;
  score: number;
}

interface Found extends Rank {
  passage: Passage;
  /** Undefined if the passage is not among the candidates by words, or by meaning. */
  words: Rank | undefined;
  meaning: Rank | undefined;
  /** The line with the most words of the query. */
  line: string;
}

interface Seen extends Found {
  /** Probabilities that it is about the question, and that it answers; undefined without the encoder. */
  relevance?: number | undefined;
  answerability?: number | undefined;
}

/** `emend search`: shows what a question finds, and why. */
export const searchCommand: CommandRun = async (given, options, signal) => {
  const query = given.join(" ").trim();
  if (query === "") throw new UsageError("Give the words to search for.");
  const filter = filterOf(await chosenBy(options));
  const settings = settingsOf(options);
  await using tools = await usingTools(settings);
  const { documents, encoder } = tools;
  const wanted = { text: query, filter: [...(options.where ?? []), ...filter] };
  const { found, leftOut } = await inAllModes(documents, wanted, options.limit ?? DEFAULT_LIMIT, signal);
  if (found.length + leftOut.length === 0 && (await documents.isEmpty()))
    throw new EmptyStoreError(storeName(settings));
  const pairs = found.map(({ passage }) => ({ text: query, as: "question" as const, passage: passageText(passage) }));
  const judged = await encoder?.judge(pairs, { signal });
  const seen = found.map((one, i) => {
    const { relevance, answerability } = judged?.[i] ?? {};
    return { ...one, relevance, answerability };
  });
  const others = [...new Map(leftOut.map(({ uri, validity }) => [uri, { uri, ...validity }])).values()];
  if (options.json) process.stdout.write(`${escapedJson({ query, passages: seen.map(asJson), leftOut: others })}\n`);
  else {
    const lines = others.map((other) => oneLine(`Left out: ${other.uri}: ${validInWords(other)}.`));
    const parts = [
      seen.length > 0 ? shown(seen) : wanted.filter.length > 0 ? NONE_MEETS : "Nothing has these words.",
      lines.join("\n"),
    ];
    process.stdout.write(`${parts.filter(Boolean).join("\n\n")}\n`);
  }
  return seen.length > 0 ? EXIT.done : EXIT.notAnswered;
};

const DEFAULT_LIMIT = 10;
const NONE_MEETS = "Nothing that meets the conditions has these words. What a document states: emend show <file>.";

/**
 * Searches as retrieval does, by words alone, and by meaning alone. Without embeddings the words decide. Documents that
 * are not valid at the time of the question are left out.
 * @throws UsageError if the limit is above 200; StoreUnavailableError.
 */
async function inAllModes(
  documents: Documents,
  wanted: DocumentQuery,
  limit: number,
  signal: AbortSignal,
): Promise<{ found: Found[]; leftOut: DatedPassage[] }> {
  // As many as are ranked together in a hybrid search.
  const candidates = candidatesFor(limit);
  const today = new Date().toISOString().slice(0, "2026-01-31".length);
  const { text } = wanted;
  const time = { ...timeOf({ time: askedTime(text, today), language: languageOf(text) }), signal };
  const words = await documents.search({ ...wanted, mode: "fullText" }, candidates, { signal });
  const [{ found, leftOut }, near] = await Promise.all([
    searchHolding(documents, wanted, limit, time),
    documents.search({ ...wanted, mode: "vector" }, candidates, { signal }),
  ]).catch(async (error: unknown) => {
    if (signal.aborted || error instanceof StoreUnavailableError) throw error;
    warn(`${toError(error).message} This is what is found by words alone.`);
    return [await searchHolding(documents, { ...wanted, mode: "fullText" }, limit, time), []] as const;
  });
  // If nothing is embedded, a search by meaning falls back to words.
  const embedded = new Set(await documents.embedded?.(near.map(({ id }) => id)));
  const byWords = ranks(words);
  const byMeaning = ranks(near.filter(({ id }) => embedded.has(id)));
  const ranked = found.map(({ score, validity: _, ...passage }, i) => ({
    rank: i + 1,
    score,
    passage,
    words: byWords.get(passage.id),
    meaning: byMeaning.get(passage.id),
    line: nearestLine(passage.text, text),
  }));
  return { found: ranked, leftOut };
}

const ranks = (passages: readonly ScoredPassage[]) =>
  new Map(passages.map(({ id, score }, i): [string, Rank] => [id, { rank: i + 1, score }]));

const asJson = ({ passage, words, meaning, ...rest }: Seen) => ({
  ...rest,
  words: words ?? null,
  meaning: meaning ?? null,
  ...passage,
});

/** Formats each passage as a row of numbers, with its place and its nearest line below. */
function shown(all: readonly Seen[]): string {
  const { width, paint } = screen(process.stdout);
  const hasMeaning = all.some(({ meaning }) => meaning);
  const isJudged = all.some(({ relevance }) => relevance !== undefined);
  const head = ["", "fused", "words", "", ...(hasMeaning ? ["meaning", ""] : []), ...(isJudged ? JUDGED : []), ""];
  const rows = all.map(({ rank, score, words, meaning, relevance, answerability, passage }) => [
    `${rank}`,
    number(score, 3),
    ...placed(words, 2),
    ...(hasMeaning ? placed(meaning, 3) : []),
    ...(isJudged ? [number(relevance, 2), number(answerability, 2)] : []),
    oneLine(passage.uri),
  ]);
  const [first = "", ...lines] = columns([head, ...rows], "r".repeat(head.length - 1));
  const below = all.map(({ passage: { title, section }, line }) =>
    [oneLine(placeOf(title, section)), line].map((one) => cutToWidth(`    ${one}`, Math.min(width, MAX_WIDTH))),
  );
  return [paint("bold", first), ...lines.flatMap((line, i) => [line, ...(below[i] ?? [])])].join("\n");
}

const JUDGED = ["relevant", "answers"];
const MAX_WIDTH = 120;

const number = (value: number | undefined, digits: number) => value?.toFixed(digits) ?? "–";
const placed = (place: Rank | undefined, digits: number) =>
  place ? [`${place.rank}`, number(place.score, digits)] : ["–", ""];

const HEADING = /^#+ /;

/** Returns the first line that shares the most words with the query; a heading only if there is no other line. */
export function nearestLine(text: string, query: string): string {
  const asked = contentTerms(query);
  const all = text.split("\n").map(oneLine).filter(Boolean);
  const below = all.filter((line) => !HEADING.test(line));
  const lines = below.length > 0 ? below : all;
  const shares = lines.map((line) => coverage(asked, new Set(contentTerms(line))));
  return lines[shares.indexOf(Math.max(...shares))] ?? "";
}
