import { anyOf, POINTERS } from "../text/lexicon.js";
import { headingText, plainWords } from "../text/markup.js";
import { outlineOf } from "../text/outline.js";
import { contentTerms } from "../text/tokens.js";
import { passageIds } from "../tools/documents/document-id.js";
import type { Documents } from "../tools/documents/port.js";
import type { Passage } from "../types/evidence.js";
import type { Language } from "../types/language.js";

/** What a store is about, by a few of its documents. */
export interface Examples {
  /** How many documents there are; at most 1,000 are counted for users who may see only some. */
  documents: number;
  /** Titles of some of them, at most three. */
  titles: string[];
  /** Questions that their words are likely to answer, at most three. */
  questions: string[];
}

/**
 * Names some documents of a store, and asks what their headings ask or what they define. They are spread over the whole
 * list and are the same every time. Empty if the store lists no documents.
 * @param language documents in this language come first.
 * @param isAnswered tries a question before it is suggested; asked about six at most, one after the other. Default:
 * every question is suggested.
 * @throws what `list`, `contents` and `get` throw.
 */
export async function examplesFrom(
  documents: Pick<Documents, "list" | "get" | "contents">,
  language: Language,
  isAnswered?: (question: string) => Promise<boolean>,
): Promise<Examples> {
  const all = await documents.list();
  // Users who may see only some documents get no list.
  const listed = all.length > 0 ? all : ((await documents.contents?.(MOST_COUNTED)) ?? []);
  const some = Math.min(LOOKED_AT, listed.length);
  const spread = Array.from({ length: some }, (_, i) => listed[Math.floor((i * listed.length) / some)]);
  const places = spread.flatMap((one) => (one ? passageIds({ documentId: one.documentId, passages: 3 }) : []));
  const passages = places.length > 0 ? await documents.get(places) : [];
  const isForeign = ([first]: Passage[]) => Number(first?.language !== language);
  const ofDocument = [...Map.groupBy(passages, ({ documentId }) => documentId).values()].toSorted(
    (a, b) => isForeign(a) - isForeign(b),
  );
  // In each language, the first question of every document comes before the second one of any.
  const asked = ofDocument
    .flatMap((all) => [...new Set(all.flatMap(questionsFrom))].map((question, i) => ({ question, i, all })))
    .toSorted((a, b) => isForeign(a.all) - isForeign(b.all) || a.i - b.i);
  const questions: string[] = [];
  for (const question of [...new Set(asked.map(({ question }) => question))].slice(0, TRIED))
    if (questions.length < SHOWN && ((await isAnswered?.(question)) ?? true)) questions.push(question);
  const titles = ofDocument.flatMap(([first]) => first?.title || []);
  return {
    documents: listed.length,
    titles: [...new Set(titles)].slice(0, SHOWN),
    questions,
  };
}

const MOST_COUNTED = 1_000;
const LOOKED_AT = 48;
const SHOWN = 3;
const TRIED = 6;

/** What the headings of a passage ask, then what its sentences say of the thing that a heading names. */
function questionsFrom({ title, section, text }: Passage): string[] {
  const units = outlineOf(text);
  const within = units.filter(({ kind }) => kind === "heading").map((unit) => headingText(unit.text));
  const headings = [...new Set([title, ...section.split(" › ").slice(-1), ...within])];
  const named = new Set(headings.filter(Boolean).map((heading) => heading.toLowerCase()));
  const told = units.filter(({ kind, states }) => states && kind !== "row").map((unit) => plainWords(unit.text));
  return [...headings.map(asQuestion), ...told.map((sentence) => definition(sentence, named))].filter(
    (question) => question !== "" && question.length <= MAX_LENGTH,
  );
}

/** Returns the question that a heading asks; empty if it asks none, or one that needs the words around it. */
function asQuestion(heading: string): string {
  const bare = heading.replace(/^[（(]?[\p{N}一二三四五六七八九十]+[.、)）]\s*/u, "").trim();
  const question = /\p{L}.*[?？]$/u.test(bare)
    ? bare
    : bare
        .replace(/^how to (.+)$/i, "How do I $1?")
        .replace(/^what to do (.+)$/i, "What should I do $1?")
        .replace(/^(?:如何|怎么|怎样)\P{P}+$/u, "$&？");
  return /[?？]$/.test(question) && contentTerms(question).length > 1 && !POINTING.test(question) ? question : "";
}

const POINTING = anyOf(POINTERS);

/** Returns a question about a sentence that says what something is; empty if no heading names that thing. */
function definition(sentence: string, named: ReadonlySet<string>): string {
  const [, article = "", thing = "", verb = ""] =
    /^((?:an?|the) )?(.{2,40}?) (is|are) (?:an?|the) /i.exec(sentence) ?? [];
  if (named.has(thing.toLowerCase()) && !/^\p{L}+ing /u.test(thing))
    return `What ${verb} ${article.toLowerCase()}${thing}?`;
  const [, term = ""] = /^(.{2,20}?)\s?(?:（[^（）]{1,40}）)?是/u.exec(sentence) ?? [];
  return named.has(term.toLowerCase()) ? `${term}是什么？` : "";
}

/** In characters. */
const MAX_LENGTH = 80;
