import { z } from "zod";
import { claimsWritten } from "../citing/claims.js";
import { markersIn, type Named, withoutMarkers } from "../citing/markers.js";
import { settle } from "../facts/support.js";
import { blocks } from "../text/blocks.js";
import { visible } from "../text/decode.js";
import { neutral } from "../text/orders.js";
import { findQuote } from "../text/quotes.js";
import { type DraftClaim, type Form, LookUp } from "../types/answer.js";
import type { Span } from "../types/evidence.js";
import type { GenerateTask, Task } from "../types/reasoners.js";
import { type QuoteFinder, quoteFinder } from "./find-quotes.js";
import { completeItems, listOf, words } from "./reply-json.js";
import { readProse } from "./reply-prose.js";

/** The fields of a reply besides its claims, in every style. A missing field is empty. */
const Beside = z.object({ missing: words(300), look: listOf(words(320), 6), ask: words(300) });
type Beside = z.infer<typeof Beside>;

/** Turns a model's reply in one citing style into claims. */
export interface Style<Reply extends { missing: string; ask: string }> {
  schema: z.ZodType<Reply>;
  /** Present if the reply is prose: turns it into an object for the schema to parse. */
  prose?(text: string): unknown;
  /** Returns the claims of a complete reply. */
  claims(reply: Reply): DraftClaim[];
  /** Returns the complete claims of a partial reply, in order. Absent if the style has none before the end. */
  soFar?(text: string): DraftClaim[];
  /** Returns the usable part of a truncated reply, for the schema to parse. */
  salvage(text: string): unknown;
}

/** A list of claims with their citations, streamed one by one. */
function inClaims<Said extends { text: string }>(
  item: z.ZodType<Said>,
  citationsOf: (said: Said) => DraftClaim["citations"],
): Style<Beside & { claims: Said[] }> {
  const complete = (text: string) => completeItems(text, "claims").flatMap((each) => item.safeParse(each).data ?? []);
  const claimOf = (said: Said): DraftClaim[] => {
    const text = withoutOwnMarkers(said.text);
    return text === "" ? [] : cited(text, citationsOf({ ...said, text }));
  };
  return {
    schema: Beside.extend({ claims: listOf(item, MAX_SENTENCES) }),
    claims: ({ claims }) => claims.flatMap(claimOf),
    soFar: (text) => complete(text).flatMap(claimOf),
    salvage: (text) => {
      const claims = complete(text);
      return claims.length > 0 ? { claims } : undefined;
    },
  };
}

const cited = (text: string, citations: DraftClaim["citations"]): DraftClaim[] =>
  citations.length > 0 ? [{ text, citations }] : [];

/**
 * Verbatim quotes, with the typical errors of small models corrected. A wrong source number is replaced if exactly one
 * source has the quote. If the quote is next to the supporting sentence, is only a label, or leaves words out, code
 * finds the words of that source that are closest to the claim.
 */
export const quoteStyle = (task: Task) => {
  const finder = quoteFinder(task);
  return inClaims(
    z.object({ quote: words(600), source: z.coerce.number(), text: words(400) }),
    ({ text, source, quote }) => {
      const wanted = quote.replace(LABELS, "").trim();
      const named = task.evidence[source - 1];
      const holds = (text: string) => findQuote(neutral(text), neutral(wanted));
      const holders = task.evidence.filter(({ text }) => holds(text));
      const evidence = named && holders.includes(named) ? named : holders.length === 1 ? holders[0] : named;
      if (!evidence) return [];
      const at = holds(evidence.text);
      const copied = { evidenceId: evidence.id, quote: at ? evidence.text.slice(at.start, at.end) : wanted };
      if (at && isSaidBy(text, [copied])) return [copied];
      const own = { source: task.evidence.indexOf(evidence) + 1 };
      const nearer = finder.findInEach(text, LABEL_ALONE.test(quote) ? labelledSources([quote]) : [own]);
      const isBetter = at ? isSaidBy(text, nearer) : nearer.length > 0;
      return isBetter ? nearer : [copied];
    },
  );
};

const isSaidBy = (text: string, citations: DraftClaim["citations"]) =>
  settle(
    text,
    citations.map(({ quote }) => quote),
  ).verdict === "supported";

const LABELS = /\[\d+\.\d+\]\s?/g;
const LABEL_ALONE = /^\s*\[?\d+\.\d+\]?\s*$/;

/** Claims that name sources by number or parts by label; code finds the quotes. */
export const namedSourcesStyle = (task: Task) => {
  const finder = quoteFinder(task);
  const Naming = z.object({ text: words(400), sources: listOf(label, 8) });
  return inClaims(Naming, ({ text, sources }) => anywhere(finder, text, labelledSources(sources)));
};

/**
 * Quotes from each of the named sources. If none of them shares enough words with the claim, also from the source that
 * does: models write the right claim and the wrong number.
 */
function anywhere(finder: QuoteFinder, claim: string, named: readonly Named[]): DraftClaim["citations"] {
  const elsewhere = finder.find(claim, named).length > 0 ? [] : finder.find(claim).slice(0, 1);
  return [...finder.findInEach(claim, named), ...elsewhere];
}

/** A label as models write it: "2", 2, "[2.3]" or "source 2". */
const label = z.preprocess((value) => String(value ?? "").slice(0, 40), z.string());

/** Parses labels; those without a number are dropped. */
export const labelledSources = (labels: readonly string[]): Named[] =>
  labels.flatMap((text) => {
    const [, source = "", part] = /(\d{1,9})(?:\.(\d{1,9}))?/.exec(text) ?? [];
    if (source === "") return [];
    return [{ source: Number(source), ...(part !== undefined && { part: Number(part) }) }];
  });

const Prose = Beside.omit({ look: true }).extend({
  text: words(12_000),
  sources: listOf(label, 20),
  lookUps: z.array(LookUp).default([]),
});
type Prose = z.infer<typeof Prose>;

function inProse(
  { lookUps }: GenerateTask,
  claimsOf: (sentences: readonly Written[], reply: Prose) => DraftClaim[],
): Style<Prose> {
  return {
    schema: Prose,
    prose: (text) => readProse(text, mayLookUp(lookUps)),
    claims: (reply) => claimsOf(written(reply.text), reply),
    salvage: (reply) => {
      const { text } = readProse(reply);
      // The last sentence is incomplete.
      const end = claimsWritten(text, { asked: true }).at(-2)?.end;
      return end === undefined ? undefined : { text: text.slice(0, end) };
    },
  };
}

/** Prose with markers. A sentence without one takes the markers of the next sentence that has some, or else of the one before. */
export function inlineStyle(task: GenerateTask): Style<Prose> {
  const finder = quoteFinder(task);
  const drafted = (sentences: readonly Written[], whole: boolean): DraftClaim[] => {
    const claims: DraftClaim[] = [];
    // If the model cited nothing, similarity finds the citations.
    const none = whole && sentences.every(({ named }) => named.length === 0);
    const marks = ({ named }: Written) => named.length > 0;
    for (const [i, { text, form }] of sentences.entries()) {
      const next = sentences.slice(i, i + REACH).find(marks);
      if (!next && !whole) break;
      // The sentence above a list, which may count its items, rests on what the whole list rests on.
      const below = form.kind === "bullet" || form.kind === "step" ? [] : listBelow(sentences, i);
      const named = below.length > 0 ? below : ((next ?? sentences.slice(0, i).findLast(marks))?.named ?? []);
      const citations = none ? finder.find(text) : anywhere(finder, text, named);
      claims.push(...cited(text, citations).map((claim) => ({ ...claim, form })));
    }
    return claims;
  };
  return {
    ...inProse(task, (sentences) => drafted(sentences, true)),
    // The last sentence may still get its marker.
    soFar: (reply) => drafted(settled(written(readProse(reply, mayLookUp(task.lookUps)).text).slice(0, -1)), false),
  };
}

/** True if a reply may ask for more. */
export const mayLookUp = (places: GenerateTask["lookUps"]) =>
  places !== undefined && Object.values({ ...places, tables: (places.tables?.length ?? 0) > 0 }).includes(true);

/** The sentences whose sources are known: the one above a list gets more of them while the list grows. */
function settled(sentences: readonly Written[]): readonly Written[] {
  const isOpen = sentences.length > 0 && sentences.at(-1)?.form.kind !== "text";
  const above = isOpen ? sentences.findLastIndex(({ form }) => form.kind === "lead" || form.kind === "text") : -1;
  return above < 0 ? sentences : sentences.slice(0, above);
}

/** Returns the sources of the items that follow a line which introduces them. */
function listBelow(sentences: readonly Written[], lead: number): Named[] {
  const rest = sentences.slice(lead + 1);
  const end = rest.findIndex(({ form }) => form.kind === "text" || form.kind === "lead");
  const items = end < 0 ? rest : rest.slice(0, end);
  if (items.length === 0) return [];
  return [...(sentences[lead]?.named ?? []), ...items.flatMap(({ named }) => named)];
}

/** How many sentences a marker covers, its own and those before it. */
const REACH = 4;

/** Prose with a list of its sources, in which each sentence's quotes are searched first. */
export function sourceListStyle(task: GenerateTask) {
  const finder = quoteFinder(task);
  return inProse(task, (sentences, { sources }) => {
    const listed = labelledSources(sources).map(({ source }) => ({ source }));
    return sentences.flatMap(({ text, form }) => {
      const found = [finder.find(text, listed), finder.find(text), finder.findInEach(text, listed.slice(0, 1))];
      return cited(text, found.find(({ length }) => length > 0) ?? []).map((claim) => ({ ...claim, form }));
    });
  });
}

/** Prose without citations: similarity finds them. */
export function uncitedStyle(task: GenerateTask) {
  const { find } = quoteFinder(task);
  return inProse(task, (sentences) => sentences.map(({ text, form }) => ({ text, form, citations: find(text) })));
}

interface Written {
  text: string;
  named: Named[];
  form: Form;
}

/** Returns the sentences of an answer that state something, and how they stand in it. */
function written(said: string): Written[] {
  const text = said.replace(AFTER_ITEM, "$&\n");
  const found = blocks(text);
  const blockOf = ({ start }: Span) =>
    Math.max(
      0,
      found.findLastIndex((block) => block.start <= start),
    );
  const isNumbered = (block: number) => {
    const { lines, start = 0 } = found[block] ?? {};
    return /^\s*\d/.test(text.slice(lines?.start ?? start, start));
  };
  return claimsWritten(text, { asked: true })
    .filter(({ kind }) => kind !== "question")
    .slice(0, MAX_SENTENCES)
    .map((claim) => {
      const block = blockOf(claim);
      const isItem = found[block]?.kind === "item";
      const kind = isItem ? (isNumbered(block) ? "step" : "bullet") : claim.kind === "lead" ? "lead" : "text";
      return { text: withoutOwnMarkers(claim.written), named: claim.named, form: { kind, block } as const };
    })
    .filter((claim) => claim.text !== "");
}

/**
 * A line that is no list entry, directly below one, begins a paragraph: models leave out the blank line, and Markdown
 * would read it as the end of the entry.
 */
const AFTER_ITEM = /^[ \t]*(?:[-*+•]|\d{1,3}[.)、])[ \t]*\S.*\n(?=[^\s\-*+•\d])/gm;

/** More than an answer has, even one that lists everything. */
const MAX_SENTENCES = 80;

/**
 * Removes invisible characters, and the model's own markers, which could be mistaken for ours. Removal may form new markers; a text where that
 * happens too often becomes empty.
 */
export function withoutOwnMarkers(text: string): string {
  let rest = visible(text);
  for (let depth = 0; depth < MAX_REMOVALS; depth++) {
    const markers = markersIn(rest, { asked: true });
    if (markers.length === 0) return rest.trim();
    rest = withoutMarkers(rest, markers);
  }
  return "";
}

const MAX_REMOVALS = 4;
