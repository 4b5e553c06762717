import { z } from "zod";
import { claimsWritten } from "../../../citing/claims.js";
import { markersIn, type Named, withoutMarkers } from "../../../citing/markers.js";
import { findQuote } from "../../../language/quotes.js";
import { settle } from "../../../language/support.js";
import type { DraftClaim } from "../../../types/answer.js";
import type { Task } from "../port.js";
import { quoteFinder } from "./find-quotes.js";
import { completeItems, growingText, list, words } from "./json.js";
import { neutral } from "./prompts.js";

/** How a model's reply in one style of citing becomes claims. */
export interface Style<Reply extends { missing: string }> {
  schema: z.ZodType<Reply>;
  /** The claims of a whole reply. */
  claims(reply: Reply): DraftClaim[];
  /** The claims that are complete in a reply that still grows, in order. Absent where none can be told before its end. */
  soFar?(text: string): DraftClaim[];
  /** What can be saved of a reply that was cut off, for the schema. */
  salvage(text: string): unknown;
}

/** A list of claims, each cited in its own way; told as they are completed. */
function inClaims<Said extends { text: string }>(
  item: z.ZodType<Said>,
  citationsOf: (said: Said) => DraftClaim["citations"],
): Style<{ claims: Said[]; missing: string }> {
  const complete = (text: string) => completeItems(text, "claims").flatMap((each) => item.safeParse(each).data ?? []);
  const claimOf = (said: Said): DraftClaim[] => {
    const text = bare(said.text);
    return text === "" ? [] : cited(text, citationsOf({ ...said, text }));
  };
  return {
    schema: z.object({ claims: list(item, 12), missing: words(200) }),
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
 * Verbatim quotes. Where the quote stands in another source alone, that one is cited. Where it stands beside the sentence
 * that says the claim, as small models quote, that sentence is the quote.
 */
export const quoting = (task: Task) => {
  const find = quoteFinder(task);
  return inClaims(
    z.object({ text: words(400), source: z.coerce.number(), quote: words(600) }),
    ({ text, source, quote }) => {
      const wanted = quote.replace(LABELS, "").trim();
      const named = task.evidence[source - 1];
      const holds = (text: string) => findQuote(neutral(text), neutral(wanted));
      const holders = task.evidence.filter(({ text }) => holds(text));
      const evidence = named && holders.includes(named) ? named : holders.length === 1 ? holders[0] : named;
      if (!evidence) return [];
      const at = holds(evidence.text);
      const copied = { evidenceId: evidence.id, quote: at ? evidence.text.slice(at.start, at.end) : wanted };
      if (!at || isSaidBy(text, [copied])) return [copied];
      const nearer = find(text, [{ source: task.evidence.indexOf(evidence) + 1 }]);
      return isSaidBy(text, nearer) ? nearer : [copied];
    },
  );
};

const isSaidBy = (text: string, citations: DraftClaim["citations"]) =>
  settle(
    text,
    citations.map(({ quote }) => quote),
  ).verdict === "supported";

const LABELS = /\[\d+\.\d+\]\s?/g;

/** Sources by their numbers or parts of them by their labels; the quotes are found by code. */
export const naming = (task: Task) => {
  const find = quoteFinder(task);
  const Naming = z.object({ text: words(400), sources: list(label, 8) });
  return inClaims(Naming, ({ text, sources }) => anywhere(find, text, namedBy(sources)));
};

/**
 * Small models write the right claim and the wrong number. What is cited in the end is what code found, so where the
 * named sources have nothing, all others are searched; a claim that names none is looked for in all.
 */
function anywhere(
  find: ReturnType<typeof quoteFinder>,
  claim: string,
  named: readonly Named[],
): DraftClaim["citations"] {
  const there = find(claim, named);
  if (there.some(({ quote }) => quote !== "")) return there;
  const elsewhere = find(claim);
  return elsewhere.length > 0 ? elsewhere : there;
}

/** "2", 2, "[2.3]" and "source 2": whatever a model writes for a label. */
const label = z.preprocess((value) => String(value ?? "").slice(0, 40), z.string());

/** What labels name, without those that name nothing. */
export const namedBy = (labels: readonly string[]): Named[] =>
  labels.flatMap((text) => {
    const [, source = "", part] = /(\d{1,9})(?:\.(\d{1,9}))?/.exec(text) ?? [];
    if (source === "") return [];
    return [{ source: Number(source), ...(part !== undefined && { part: Number(part) }) }];
  });

const Prose = z.object({ text: words(6000), missing: words(200) });

function inProse<Reply extends z.infer<typeof Prose>>(
  schema: z.ZodType<Reply>,
  claimsOf: (sentences: readonly Written[], reply: Reply) => DraftClaim[],
): Style<Reply> {
  return {
    schema,
    claims: (reply) => claimsOf(written(reply.text), reply),
    salvage: (reply) => {
      const text = growingText(reply, "text");
      // The last one is cut off.
      const end = claimsWritten(text, { asked: true }).at(-2)?.end;
      return end === undefined ? undefined : { text: text.slice(0, end) };
    },
  };
}

/** Prose with markers: each sentence is a claim on the sources it names, or else the next one does, or the one before. */
export function inline(task: Task): Style<z.infer<typeof Prose>> {
  const find = quoteFinder(task);
  const drafted = (sentences: readonly Written[], whole: boolean): DraftClaim[] => {
    const claims: DraftClaim[] = [];
    // A model that forgot to cite is cited by similarity.
    const none = whole && sentences.every(({ named }) => named.length === 0);
    const marks = ({ named }: Written) => named.length > 0;
    for (const [i, { text }] of sentences.entries()) {
      const next = sentences.slice(i, i + REACH).find(marks);
      if (!next && !whole) break;
      const named = (next ?? sentences.slice(0, i).findLast(marks))?.named ?? [];
      claims.push(...cited(text, none ? find(text) : find(text, named)));
    }
    return claims;
  };
  return {
    ...inProse(Prose, (sentences) => drafted(sentences, true)),
    // The last sentence may still get its marker.
    soFar: (reply) => drafted(written(growingText(reply, "text")).slice(0, -1), false),
  };
}

/** A marker stands for the sentences before it up to here. */
const REACH = 4;

/** Prose and a list of the sources it used, among which each sentence's quotes are found, or else wherever they are. */
export function listing(task: Task) {
  const find = quoteFinder(task);
  return inProse(Prose.extend({ sources: list(label, 20) }), (sentences, { sources }) => {
    const listed = namedBy(sources).map(({ source }) => ({ source }));
    return sentences.flatMap(({ text }) => cited(text, anywhere(find, text, listed)));
  });
}

/** Prose whose citations come later: here by similarity. */
export function unmarked(task: Task) {
  const find = quoteFinder(task);
  return inProse(Prose, (sentences) => sentences.map(({ text }) => ({ text, citations: find(text) })));
}

interface Written {
  text: string;
  named: Named[];
}

/** The sentences of an answer that state something. */
const written = (text: string): Written[] =>
  claimsWritten(text, { asked: true })
    .filter(({ kind, named }) => kind !== "question" && (kind !== "lead" || named.length > 0))
    .slice(0, MOST_SENTENCES)
    .map((claim) => ({ text: bare(claim.written), named: claim.named }))
    .filter((claim) => claim.text !== "");

const MOST_SENTENCES = 40;

/**
 * A sentence without any marker of the model's own, which would pass for one of ours; empty where markers are nested
 * so deep that taking them out makes new ones over and over.
 */
export function bare(text: string): string {
  let rest = text;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const markers = markersIn(rest, { asked: true });
    if (markers.length === 0) return rest.trim();
    rest = withoutMarkers(rest, markers);
  }
  return "";
}

const DEEPEST = 4;
