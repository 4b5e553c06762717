import { numbersOf } from "../citing/markers.js";
import { sanitizeMarkdown, verbatim } from "../citing/sanitize-markdown.js";
import { headingText, wordsAndCode } from "../text/markup.js";
import { plainHeads } from "../text/orders.js";
import { outlineOf } from "../text/outline.js";
import { overlap } from "../text/spans.js";
import { hasWords } from "../text/tokens.js";
import type {
  Answer,
  CheckedClaim,
  Citing,
  Claim,
  Form,
  Intent,
  LeftOut,
  Misspelt,
  Nearest,
  Piece,
  Reference,
  Segment,
} from "../types/answer.js";
import type { Evidence, Span } from "../types/evidence.js";
import type { Language } from "../types/language.js";
import { COLLECTION, valuesOf } from "../types/metadata.js";
import { dated, type Foreign } from "./caveats.js";
import { placeOf, quotesShown, tableLines } from "./citations.js";
import { linkTo } from "./links.js";
import { messagesIn, SPOKEN } from "./messages/index.js";
import type { Searched, SourceKind } from "./messages/terms.js";
import { citingNote, paragraph } from "./segments.js";

/**
 * Writes an answer: its claims, then notes, such as what is missing and which words were read as others. Has markers unless
 * the style of citing is `sources`.
 */
export function composeAnswer(
  answer: Composed,
  intent: Intent,
  language: Language,
  citing: Citing = "quote",
): Segment[] {
  const {
    claims,
    references,
    disagreements,
    missing,
    misspelt = [],
    unread = [],
    stale = [],
    foreign = [],
    faulty = "",
  } = answer;
  const say = messagesIn(language);
  const cited = citing === "sources" ? claims.map((claim) => ({ ...claim, citations: [] })) : claims;
  const old = stale.map((number) => dated(number, references));
  const naming = [
    say.foreign(foreign),
    ...disagreements.map(({ newer, older }) => say.disagree(dated(newer, references), dated(older, references))),
    old.length > 0 ? say.stale(old, old.length === references.length) : [],
  ];
  const others = [
    missing && say.open(sanitizeMarkdown(missing)),
    faulty,
    say.readAs(misspelt),
    notRead(unread, language),
  ];
  return [
    ...composeClaims(cited, intent, language),
    ...naming.filter((words) => words.length > 0).map(citingNote),
    ...others.filter((text) => text !== "").map((text) => paragraph(text, "note")),
  ];
}

/**
 * Formats claims as the model laid them out. Those without a form become numbered steps, bullet points (comparisons and
 * rows of tables), or running text that bullet points may follow. A further claim only adds to the text.
 */
export function composeClaims(claims: readonly Claim[], intent: Intent, language: Language): Segment[] {
  if (claims.some(({ form }) => form)) return laidOut(claims, language);
  const sentences = claims.map(citedClaim);
  const first = claims.length === 1 ? -1 : claims.findIndex((claim) => startsList(claim, intent));
  const running = first === -1 ? sentences : sentences.slice(0, first);
  const items = first === -1 ? [] : sentences.slice(first);
  return [
    ...(running.length > 0
      ? [{ kind: items.length > 0 ? "lead" : "text", pieces: inOneLine(running, language) } as const]
      : []),
    ...items.map((pieces) => ({ kind: intent === "steps" ? "step" : "bullet", pieces }) as const),
  ];
}

export const startsList = (claim: Claim, intent: Intent) =>
  intent === "steps" || intent === "comparison" || !SENTENCE_END.test(claim.text);

/**
 * Lays claims out as the model wrote them: the sentences of a paragraph or an item in one segment. The line above a list
 * has no markers, since its items have them.
 */
function laidOut(claims: readonly Claim[], language: Language): Segment[] {
  const segments: (Segment & { block: number; sentences: Piece[][] })[] = [];
  for (const [i, claim] of claims.entries()) {
    const { kind = "text", block = -1 } = claim.form ?? {};
    const pieces = citedClaim(kind === "lead" ? { ...claim, citations: [] } : claim, i);
    const last = segments.at(-1);
    if (last && last.block === block && last.kind === kind) last.sentences.push(pieces);
    else segments.push({ kind, block, pieces: [], sentences: [pieces] });
    if (claim.form?.cut)
      segments.push({ kind: "text", block: -1, pieces: [], sentences: [rest(claim.form.cut, pieces, language)] });
  }
  return segments.map(({ kind, sentences }) => ({ kind, pieces: inOneLine(sentences, language) }));
}

/** Says that the source goes on, and where. */
function rest(cut: NonNullable<Form["cut"]>, pieces: readonly Piece[], language: Language): Piece[] {
  const marker = pieces.find(({ reference }) => reference !== undefined);
  const link = marker ? [{ ...marker, text: ` ${marker.text.trim()}` }] : [];
  return [{ text: messagesIn(language).cut(cut) }, ...link];
}

/** Joins sentences into running text. */
const inOneLine = (sentences: readonly Piece[][], language: Language): Piece[] =>
  sentences.flatMap((pieces, i) => {
    const gap = i === 0 ? "" : gapBefore(pieces[0]?.text ?? "", language);
    return gap === "" ? pieces : [{ text: gap }, ...pieces];
  });

/** Says which attachments were not read; empty if there are none. */
export const notRead = (types: readonly string[], language: Language): string =>
  messagesIn(language).notRead(types.map(sanitizeMarkdown));

type Composed = Pick<
  Answer,
  "claims" | "references" | "disagreements" | "missing" | "misspelt" | "unread" | "stale"
> & {
  foreign?: readonly Foreign[];
  /** What failed, in words, if something is missing. */
  faulty?: string;
};

const SENTENCE_END = /[.!?…。！？][”"』」’')）]*$/u;

/**
 * Lays out quotes that may answer, each as an item or a paragraph of its own: none goes on where the one before ends.
 */
export function apart(claims: readonly Claim[]): Claim[] {
  const kind = claims.length > 1 && claims.every(({ form }) => !form) ? "bullet" : "text";
  return claims.map((claim, i) => (claim.form ? claim : { ...claim, form: { kind, block: OWN_BLOCK + i } }));
}

/** Above the blocks of any draft. */
const OWN_BLOCK = 1_000_000;

/**
 * Writes a refusal: where nothing was found, what could not be searched, why the run ended, misspelt words, documents
 * that were left out, the queries, what is missing, what would help, and below that the nearest passages, one per line.
 */
export function composeRefusal(
  {
    places,
    failed = [],
    why = "",
    misspelt = [],
    unread = [],
    leftOut = [],
    queries = [],
    missing = "",
    remedies = [],
    nearest = [],
  }: Refusal,
  language: Language,
): Segment[] {
  const say = messagesIn(language);
  const sentences = [
    say.notFound(places),
    sanitizeMarkdown(say.failed(failed)),
    why,
    say.readAs(misspelt),
    notRead(unread, language),
    sanitizeMarkdown(say.leftOut(leftOut)),
    say.lookedFor(queries.map(sanitizeMarkdown)),
    missing && say.missing(sanitizeMarkdown(missing)),
    ...remedies,
  ];
  const told = paragraph(sentences.filter((sentence) => sentence !== "").join(say.gap));
  if (nearest.length === 0) return [told];
  const passages = nearest.map((one) => `${sourceLine(one)}: “${sanitizeMarkdown(cutOff(quoteText(one.quote)))}”`);
  return [told, paragraph(say.nearest, "lead"), ...passages.map((text) => paragraph(text, "bullet"))];
}

/** The words of a quote, without headings, which its place names, and without marks of tables; cells are separated. */
const quoteText = (quote: string) => {
  const body = quote.replace(/^#{1,6}[ \t].*$/gm, "");
  return wordsAndCode(
    (hasWords(body) ? body : quote)
      .replace(/^#{1,6}[ \t]+|^[ \t|:]*--[-|: \t]*$|^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$/gm, "")
      .replace(/[ \t]*\|[ \t]*/g, " · "),
  );
};

/** Marks a quote that ends within a sentence. A short one is whole: a row of a table, an entry of a list. */
const cutOff = (quote: string) => (SENTENCE_END.test(quote) || quote.length < MAY_BE_CUT ? quote : `${quote} …`);

/** In characters. */
const MAY_BE_CUT = 200;

const sourceLine = ({ title, section, uri }: Pick<Reference, "title" | "section" | "uri">) => {
  const place = sanitizeMarkdown(placeOf(title, section));
  return place === "" ? sanitizeMarkdown(uri) : `${place} (${sanitizeMarkdown(uri)})`;
};

interface Refusal {
  places: readonly SourceKind[];
  failed?: Searched["failed"];
  why?: string;
  misspelt?: readonly Misspelt[] | undefined;
  unread?: readonly string[];
  leftOut?: readonly LeftOut[];
  queries?: readonly string[];
  missing?: string;
  remedies?: readonly string[];
  nearest?: readonly Nearest[];
}

/** Numbers the sources of claims from 1 in order of appearance. */
export function numberSources(checked: readonly CheckedClaim[], evidence: readonly Evidence[]) {
  const numbers = numbersOf(checked.flatMap(({ quotes }) => quotes));
  const claims: Claim[] = checked.map(({ text, form, verdict, probability, quotes }) => ({
    text,
    ...(form && { form }),
    support: verdict,
    ...(probability !== undefined && { probability }),
    citations: quotes.map(({ evidenceId, ...quoted }) => ({ ...quoted, reference: numbers.get(evidenceId) ?? 0 })),
  }));
  const references = [...numbers].flatMap(([evidenceId, number]): Reference[] => {
    const piece = evidence.find((candidate) => candidate.id === evidenceId);
    if (!piece) return [];
    const { source, title, uri, reviewedAt, retrievedAt, provenance, computed, preview } = piece;
    const quotes = checked.flatMap((claim) => claim.quotes.filter((quote) => quote.evidenceId === evidenceId));
    const section = headingsAbove(piece, quotes);
    const { validFrom, validUntil, alsoIn, metadata } = piece;
    const [collection] = valuesOf(metadata, COLLECTION);
    const valid = { ...(validFrom && { validFrom }), ...(validUntil && { validUntil }) };
    const shown = { source, title, uri, section, date: reviewedAt || retrievedAt, ...valid, ...(alsoIn && { alsoIn }) };
    const from = { ...(provenance && { provenance }), ...(computed && { computed }) };
    const rest = { ...(preview && { preview }), ...(collection && { collection }) };
    return [{ number, evidenceId, ...shown, ...from, ...rest }];
  });
  return { claims, references };
}

/**
 * Returns the headings above all of these quotes, those inside the piece included, outermost first. The section of a
 * piece may be a heading inside it that only some of its sentences are below.
 */
export function headingsAbove(piece: Evidence, quotes: readonly Span[]): string {
  const units = outlineOf(piece.text);
  const [first = [], ...others] = units
    .filter((unit) => quotes.some((quote) => overlap(unit, quote)))
    .map(({ headings }) => headings);
  const apart = first.findIndex((heading, i) => others.some((headings) => headings[i] !== heading));
  const inside = (apart < 0 ? first : first.slice(0, apart)).map(headingText);
  const elsewhere = new Set(units.filter(({ kind }) => kind === "heading").map(({ text }) => headingText(text)));
  const around = piece.section.split(" › ").filter((heading) => inside.includes(heading) || !elsewhere.has(heading));
  const all = new Set([...around, ...inside.filter((heading) => heading !== piece.title)]);
  return plainHeads({ ...piece, section: [...all].filter(Boolean).join(" › ") }).section;
}

/**
 * Writes a claim with its markers before the final mark: "Two days [1]." and "两天[1]。"; a likely one as "Two days [1]
 * (likely)." The text is sanitised.
 */
export function citedClaim({ text, citations, support }: Claim, claimIndex: number): Piece[] {
  const numbers = [...new Set(citations.map((citation) => citation.reference))];
  const [, body = "", end = ""] = /^([\s\S]*?)([.!?。！？]*)$/u.exec(sanitizeMarkdown(text)) ?? [];
  const isChinese = /\p{Script=Han}[”」』）]?$/u.test(body);
  const gap = isChinese ? "" : " ";
  const likely = support === "likely" ? gap + messagesIn(isChinese ? "zh" : "en").likely : "";
  const markers = numbers.map((reference, i) => ({
    text: `${i === 0 ? gap : ""}[${reference}]`,
    reference,
    claimIndex,
  }));
  return [{ text: body }, ...markers, { text: likely + end }].filter(({ text }) => text !== "");
}

/** Returns what separates a sentence from the one before it. A bracket right after a marker would make it a link. */
const gapBefore = (sentence: string, language: Language) =>
  /^[([:⁰¹²³⁴-⁹]/.test(sentence) ? " " : messagesIn(language).gap;

/** Formats an answer for a reader that renders Markdown: its text, and the list of its sources with links and quotes. */
export const answerAsMarkdown = (answer: Answer): string =>
  [answer.text, sourceList(answer)].filter((part) => part !== "").join("\n\n");

/** Lists the sources as Markdown, each with a link to the place of its first quote. Empty without sources. */
export function sourceList({
  references,
  claims,
  language,
}: Pick<Answer, "references" | "claims" | "language">): string {
  if (references.length === 0) return "";
  const say = messagesIn(language);
  const items = references.map((reference) => {
    const {
      number,
      title,
      section,
      uri,
      validFrom = "",
      validUntil = "",
      computed,
      opens,
      collection = "",
    } = reference;
    const quotes = claims.flatMap(({ citations }) => citations.filter(({ reference }) => reference === number));
    const name = sanitizeMarkdown(placeOf(title, section) || uri);
    const own = linkTo(uri, computed ? undefined : quotes[0]?.quote, section);
    const address = opens ?? own;
    const path = own === undefined ? [`(\`${verbatim(uri.replaceAll("`", ""))}\`)`] : [];
    const shown = [address ? `[${name.replace(/[[\]]/g, "")}](${address})` : name, ...path].join(" ");
    const shownQuotes = [...quotesShown(quotes), ...(computed ? tableLines(computed, language) : [])]
      .map((quote) => `> ${sanitizeMarkdown(quote)}`)
      .join("\n>\n");
    const valid = say.valid(sanitizeMarkdown(validFrom), sanitizeMarkdown(validUntil));
    const line = [`[${number}] ${shown}`, sanitizeMarkdown(collection), valid].filter(Boolean).join(" · ");
    return [line, shownQuotes].filter(Boolean).join("\n");
  });
  return `**${say.sources}**\n\n${items.join("\n\n")}`;
}

/** Removes the list of sources from an earlier answer that a client sends back. */
export const withoutSources = (text: string): string => text.replace(LISTED, "");

const HEADINGS = Object.values(SPOKEN).map(({ sources }) => sources);
const LISTED = new RegExp(`\\n\\n(?:\\*\\*)?(?:${HEADINGS.join("|")})[:：]?(?:\\*\\*)?\\n[\\s\\S]*$`, "u");
