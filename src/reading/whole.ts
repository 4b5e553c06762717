import { asksForList } from "../text/intent.js";
import { introduces } from "../text/outline.js";
import { asks } from "../text/prose.js";
import { contentTerms } from "../text/tokens.js";
import type { DraftClaim, Form, Intent } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";
import { askedCell, askedRows } from "./asked-rows.js";
import { belowQuestion } from "./questions.js";
import type { Reading } from "./reading.js";
import {
  areListed,
  blocksOf,
  documentOf,
  type Entry,
  entriesOf,
  isNumbered,
  isOneUnit,
  type List,
  listAround,
  pathOf,
  sectionOf,
} from "./surroundings.js";
import { claimOf, claimOfRun, type Unit, unitsOf } from "./units.js";

/** What decides on how much is quoted. */
export interface Wanted {
  question: string;
  intent: Intent;
  /** Where a list, a table or a section may go on, since a long one is cut into several passages. */
  evidence: readonly Evidence[];
  /** The other units that may answer: a list of which several entries do is quoted whole. */
  others: readonly Unit[];
  /** True for a quote that may answer, which is shorter: up to where its list ends. */
  isGuess: boolean;
}

/**
 * Returns what is quoted for the unit that answers best, whole and in order. For a question about steps, that is its
 * section; for a row, the rows that the question asks for; for an entry of a list, this entry or all of them under the
 * sentence that introduces them; for what stands below a question, all of it; for any other sentence, this one with what
 * it refers to. What is too long is cut after an entry or a paragraph, and the last claim says so.
 */
export function wholeOf(best: Reading, wanted: Wanted): DraftClaim[] {
  if (best.head) return ofRows(best, wanted);
  const document = documentOf(best, wanted.evidence);
  if (wanted.intent === "steps") {
    const section = partsOf(sectionOf(best, document));
    return laidOut(section, section[0]?.units[0] ?? best, wanted.isGuess);
  }
  const parts = partsAround(best, document, wanted);
  return parts ? laidOut(parts, best, wanted.isGuess) : [ofSentences(best, document, wanted.others)];
}

/** The sentence with its neighbours in the paragraph that answer nearly as well. */
function ofSentences(best: Unit, document: readonly Unit[], others: readonly Unit[]): DraftClaim {
  const block = blocksOf(document).find((units) => units.some((unit) => isOneUnit(unit, best))) ?? [best];
  const isNear = (unit: Unit | undefined) => unit !== undefined && others.some((other) => isOneUnit(other, unit));
  let [from, to] = [0, 0].map(() => block.findIndex((unit) => isOneUnit(unit, best))) as [number, number];
  while (isNear(block[from - 1])) from -= 1;
  while (isNear(block[to + 1])) to += 1;
  const [first = best, last = best] = [block[from], block[to]];
  return { ...claimOf({ ...first, end: last.end }), form: { kind: "text", block: 0 } };
}

/** A paragraph, the line above a list, or an entry with what is below it. */
interface Part {
  kind: Form["kind"];
  units: readonly Unit[];
}

function partsAround(best: Unit, document: readonly Unit[], wanted: Wanted): Part[] | undefined {
  const list = listAround(best, document);
  if (list) return ofList(list, best, wanted);
  const answer = belowQuestion(best, document, wanted.question);
  return answer && partsOf(answer);
}

/** The rows that the question asks for, below the heading that has words of the question that they lack. */
function ofRows(best: Reading, { question, evidence }: Wanted): DraftClaim[] {
  const rows = askedRows(question, best, evidence) ?? [best];
  const shown = rows.slice(0, MOST_ENTRIES);
  const [first] = shown;
  const cell = rows.length === 1 && first ? askedCell(question, { ...best, ...first }) : undefined;
  const heading = first && headingFor(first, question);
  const claims = [
    ...(heading ? [{ ...claimOfRun([heading]), form: { kind: "lead", block: 0 } as const }] : []),
    ...shown.map((row, i) => ({
      ...claimOf(row),
      ...(cell !== undefined && { text: cell }),
      form: { kind: heading || rows.length > 1 ? ("bullet" as const) : ("text" as const), block: i + 1 },
    })),
  ];
  return rows.length > shown.length ? withCut(claims, { shown: shown.length, of: rows.length }) : claims;
}

/** Returns the heading of a row if the question has words that stand there and in no cell or column. */
function headingFor(row: Unit, question: string): Unit | undefined {
  const heading = headingOver(row);
  const own = new Set(contentTerms(`${row.head?.text} ${row.text}`));
  const told = new Set(contentTerms(heading?.text ?? "")).difference(own);
  return told.isDisjointFrom(new Set(contentTerms(question))) ? undefined : heading;
}

/** Returns the innermost heading of a unit if it is in the same passage and asks nothing: no answer repeats a question. */
function headingOver({ evidence, headings, start }: Unit): Unit | undefined {
  const heading = unitsOf(evidence).findLast((unit) => unit.kind === "heading" && unit.start < start);
  return heading && heading.text === headings.at(-1) && !asks(heading.text) ? heading : undefined;
}

/** The entry that the question names, or else the whole list. */
function ofList({ lead, entries }: List, best: Unit, { question, others }: Wanted): Part[] {
  const has = (entry: Entry, unit: Unit) => entry.some((other) => isOneUnit(other, unit));
  const own = entries.find((entry) => has(entry, best));
  const isBeside = entries.some((entry) => entry !== own && others.some((other) => has(entry, other)));
  const isOne = own && !isBeside && isNamed(own, entries, lead, question);
  return [
    ...lead.map((unit): Part => ({ kind: "lead", units: [unit] })),
    ...entryParts(isOne ? [own] : entries, entries),
  ];
}

const entryParts = (shown: readonly Entry[], all: readonly Entry[]): Part[] =>
  shown.map(
    (units): Part => ({
      kind: shown === all && all.every(([first]) => first && isNumbered(first)) ? "step" : "bullet",
      units,
    }),
  );

/**
 * True if the question names this entry: by a word that neither the other entries nor the words above the list have. A
 * question that may ask for several names one by most of such words.
 */
function isNamed(own: Entry, entries: readonly Entry[], lead: readonly Unit[], question: string): boolean {
  const termsOf = (units: readonly Unit[]) => new Set(units.flatMap(({ text }) => contentTerms(text)));
  const above = termsOf(lead).union(new Set(own.slice(0, 1).flatMap((unit) => contentTerms(pathOf(unit)))));
  const left = new Set(contentTerms(question)).difference(above);
  const others = termsOf(entries.filter((entry) => entry !== own).flat());
  const met = left.intersection(termsOf(own)).difference(others);
  return met.size > 0 && (!asksForList(question) || 2 * met.size >= left.size);
}

/** Reads units as paragraphs and lists. A heading is the line above what is below it. */
function partsOf(all: readonly Unit[]): Part[] {
  const listed = areListed(all);
  const parts: Part[] = [];
  let isBelow = false;
  for (let at = 0; at < all.length; ) {
    const unit = all[at];
    if (!unit) break;
    const stop = all.findIndex((other, i) => i > at && (listed[i] !== listed[at] || other.kind === "heading"));
    const run = all.slice(at, unit.kind === "heading" ? at + 1 : stop < 0 ? undefined : stop);
    at += run.length;
    if (unit.kind === "heading") parts.push({ kind: "lead", units: run });
    else if (listed[all.indexOf(unit)]) {
      const entries = entriesOf(run);
      parts.push(...entryParts(entries, entries));
    } else {
      const blocks = blocksOf(run.filter(({ states }) => states));
      blocks.forEach((units, i) => {
        const isLead = i === blocks.length - 1 && listed[at] && introduces(units.at(-1)?.text ?? "");
        parts.push({ kind: isLead ? "lead" : isBelow ? "bullet" : "text", units });
      });
    }
    isBelow = unit.kind === "heading";
  }
  return parts;
}

/**
 * Makes claims of as many parts as there is room for, from the first one on or, if need be, around the one with the best
 * unit. Entries that nothing introduces stand below their heading.
 */
function laidOut(given: readonly Part[], best: Unit, isGuess: boolean): DraftClaim[] {
  const [top] = given;
  const heading = top && isItem(top) && top.units[0] && headingOver(top.units[0]);
  const all: readonly Part[] = heading ? [{ kind: "lead", units: [heading] }, ...given] : given;
  const stop = isGuess ? all.findIndex((part, i) => i > 0 && !isItem(part) && isItem(all[i - 1] ?? part)) : -1;
  const parts = stop < 0 ? all : all.slice(0, stop);
  const room = isGuess ? ROOM_FOR_A_GUESS : ROOM;
  const own = Math.max(
    0,
    parts.findIndex(({ units }) => units.some((unit) => isOneUnit(unit, best))),
  );
  const lead = parts.slice(0, parts[0]?.kind === "lead" ? 1 : 0);
  const isAll = fits(parts.slice(0, own + 1), room);
  let [from, to] = [isAll ? 0 : own, own + 1];
  const about = (start: number, end: number) => [...(start > 0 ? lead : []), ...parts.slice(start, end)];
  while (to < parts.length && fits(about(from, to + 1), room)) to += 1;
  while (from > lead.length && fits(about(from - 1, to), room)) from -= 1;
  while (to > own + 1 && parts[to - 1]?.kind === "lead") to -= 1;
  const shown = about(from, to);
  const claims = shown.flatMap(({ kind, units }, block) =>
    blocksOf(units.filter(({ kind: unit, states }) => states || unit === "heading")).map((run) => ({
      ...claimOfRun(run),
      form: {
        kind: kind === "step" && from > 0 ? ("bullet" as const) : kind,
        block: isGuess && kind === "text" ? 0 : block,
      },
    })),
  );
  const end = all.at(-1)?.units.at(-1);
  const goesOn = end?.evidence.goesOn === true && isOneUnit(end, unitsOf(end.evidence).at(-1) ?? end);
  const [entries, told] = [all.filter(isItem), shown.filter((part) => isItem(part) && states(part))];
  if (shown.length === all.length && told.length === entries.length && !goesOn) return claims;
  const isList = all.every((part, i) => isItem(part) || i === 0) && !goesOn;
  return withCut(claims, isList ? { shown: told.length, of: entries.length } : {});
}

const isItem = ({ kind }: Part) => kind === "bullet" || kind === "step";

/** False for an entry that only asks: no answer repeats a question. */
const states = ({ units }: Part) => units.some((unit) => unit.states);

function fits(parts: readonly Part[], room: number): boolean {
  const size = parts.reduce((sum, { units }) => sum + units.reduce((length, { text }) => length + text.length, 0), 0);
  return parts.length <= MOST_ENTRIES + 1 && size <= room;
}

/** In characters. */
const ROOM = 1500;
const ROOM_FOR_A_GUESS = 600;
const MOST_ENTRIES = 20;

/** Says below the last claim that not everything is shown. */
const withCut = (claims: readonly DraftClaim[], cut: NonNullable<Form["cut"]>): DraftClaim[] =>
  claims.map((claim, i) =>
    i === claims.length - 1 && claim.form ? { ...claim, form: { ...claim.form, cut } } : claim,
  );
