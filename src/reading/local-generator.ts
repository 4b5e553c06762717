import { type Aliases, NO_ALIASES } from "../text/aliases.js";
import { introduces } from "../text/outline.js";
import { jaccard } from "../text/similarity.js";
import { isKept } from "../text/strips.js";
import { contentTerms } from "../text/tokens.js";
import { READING } from "../thresholds.js";
import { type DraftClaim, holds, type Intent } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";
import type { GenerateTask, Generator } from "../types/reasoners.js";
import { askedCell, askedRows, isOfOneTable } from "./asked-rows.js";
import { stillOpen } from "./missing.js";
import { type Reader, type Reading, sayable } from "./reading.js";
import { claimOf, type Unit, unitsOf } from "./units.js";

/** Answers with sentences of the evidence, word for word; with no claim if no sentence is likely to answer. */
export function localGenerator(reader: Reader, aliases: Aliases = NO_ALIASES): Generator {
  return {
    async generate(task, call, onClaim) {
      const [computed] = task.evidence.filter((piece) => piece.computed);
      if (computed) return { quoted: true, claims: told(linesOf(computed), onClaim), missing: "" };
      const rejected = task.repair?.claims.filter((claim) => !holds(claim)).map(({ text }) => text) ?? [];
      const graded = task.verdict?.probability;
      const isHopeless = graded !== undefined && graded < READING.speak && task.verdict?.answerability !== "unknown";
      const read = isHopeless ? [] : await reader.read(task, call);
      const found = read.filter((one) => isKept(one.evidence, one));
      // What the grader let through is not refused here for what its comparison of the passages changed.
      const claims = choose(found, task, { enough: reader.enough, least: graded === undefined ? READING.speak : 0 })
        .map((unit) => {
          const claim = claimOf(unit);
          const cell = askedCell(task.question, unit);
          return cell === undefined ? claim : { ...claim, text: cell };
        })
        .filter(({ text }) => text !== "" && !rejected.includes(text));
      told(claims, onClaim);
      const cited = task.evidence.filter(({ id }) =>
        claims.some(({ citations }) => citations.some(({ evidenceId }) => evidenceId === id)),
      );
      const said = [...claims.map(({ text }) => text), ...cited.map((e) => `${e.title} ${e.section} ${e.text}`)];
      return { quoted: true, claims, missing: claims.length === 0 ? "" : stillOpen(task, said.join("\n"), aliases) };
    },
  };
}

/** The result of a query: a sentence with the figure, or one that introduces the rows below it. */
const linesOf = ({ id, text }: Evidence): DraftClaim[] => {
  const lines = [...text.matchAll(/^(- )?(.*\S.*)$/gm)];
  const isList = lines.some(([, mark]) => mark !== undefined);
  return lines.map(({ index, 1: mark = "", 2: line = "" }, i) => ({
    text: line,
    form: { kind: mark !== "" ? "bullet" : isList && i === 0 ? "lead" : "text", block: isList ? i : 0 },
    citations: [{ evidenceId: id, quote: line, start: index + mark.length }],
  }));
};

function told(claims: DraftClaim[], onClaim: ((claim: DraftClaim) => void) | undefined): DraftClaim[] {
  for (const claim of claims) onClaim?.(claim);
  return claims;
}

/**
 * Selects the best sentences, without near-duplicates. Further sentences are taken only if they score nearly as high as
 * the best. The piece with the best sentence comes first; within a piece, sentences keep their order.
 */
function choose(
  found: readonly Reading[],
  { question, intent, evidence }: Pick<GenerateTask, "question" | "intent" | "evidence">,
  { enough, least }: { enough: number; least: number },
): Unit[] {
  const best = Math.max(0, ...found.map(({ answers }) => answers));
  const nearlyAsGood = best >= enough ? READING.besideAnAnswer : READING.besideAGuess;
  const chosen: (Reading & { terms: ReadonlySet<string> })[] = [];
  for (const one of found.toSorted((a, b) => b.answers - a.answers)) {
    if (one.answers < Math.max(least, best * nearlyAsGood) || chosen.length === MAX_SENTENCES[intent]) break;
    const terms = new Set(contentTerms(one.text));
    const same = chosen.findIndex((other) => overlap(one, other));
    if (same >= 0 && sizeOf(one) > sizeOf(chosen[same])) chosen[same] = { ...one, terms };
    else if (same < 0 && chosen.every((other) => jaccard(terms, other.terms) < READING.alike))
      chosen.push({ ...one, terms });
  }
  const order = [...new Set(chosen.map(({ piece }) => piece))];
  const inOrder = chosen.toSorted((a, b) => order.indexOf(a.piece) - order.indexOf(b.piece) || a.start - b.start);
  const asked = new Set(contentTerms(question));
  const isPart = (one: Unit) => best >= enough && inOrder.some((other) => isBeside(one, other));
  const isWhole = (one: Unit) => intent === "steps" || introduces(one.text) || isOneOfMany(one, asked) || isPart(one);
  // The rows that the question asks for come from the table of the best one.
  const first = chosen[0];
  const rows = first && askedRows(question, first, evidence);
  const whole = inOrder.flatMap((one) => {
    if (rows && isOfOneTable(one, first)) return rows;
    return isWhole(one) ? listOf(one) : [one];
  });
  return [...new Map(whole.map((unit) => [`${unit.evidence.id} ${unit.start}`, unit])).values()];
}

const MAX_SENTENCES: Record<Intent, number> = { definition: 1, other: 2, comparison: 4, steps: 3 };
const LIST_ITEMS = 20;

/** True if two units share text: a sentence with an anaphor is quoted together with the one before it. */
const overlap = (one: Unit, other: Unit) =>
  one.evidence.id === other.evidence.id && one.from < other.end && other.from < one.end;

const sizeOf = (unit: Unit | undefined) => (unit ? unit.end - unit.from : 0);

/** True for an introduced item that shares no word with the question: the question then asks for the whole list. */
const isOneOfMany = ({ text, lead }: Unit, asked: ReadonlySet<string>) =>
  lead !== undefined && asked.isDisjointFrom(new Set(contentTerms(text)));

/** True for two items under one introduction: if neither is the answer alone, the list is. */
const isBeside = (one: Unit, other: Unit) =>
  one.lead !== undefined &&
  one.evidence.id === other.evidence.id &&
  one.lead.start === other.lead?.start &&
  one.start !== other.start;

/**
 * Returns a sentence with the list or code that directly follows it, or an item with its whole list, of which at most
 * `LIST_ITEMS` are shown. The sentence that introduces the list then stands before it once. A list ends at a heading.
 */
function listOf(unit: Unit): Unit[] {
  const all = sayable(unitsOf(unit.evidence)).filter(({ headings }) => headings === unit.headings);
  const isListed = ({ kind }: Unit) => kind === "item" || kind === "code";
  const at = all.findIndex(({ start }) => start === unit.start);
  const first = isListed(unit) ? all.findLastIndex((other, i) => i < at && !isListed(other)) : at;
  const rest = all.slice(first + 1);
  const stop = rest.findIndex((other) => !isListed(other));
  const listed = stop < 0 ? rest : rest.slice(0, stop);
  const last = Math.max(LIST_ITEMS, 1 + listed.findIndex(({ start }) => start === unit.start));
  const items = listed.slice(last - LIST_ITEMS, last);
  // The last sentence of an item includes those before it.
  const list = items.filter(({ from }, i) => items[i + 1]?.from !== from).map((item) => ({ ...item, lead: undefined }));
  const lead = isListed(unit) && !unit.lead ? [] : all.slice(Math.max(0, first), first + 1);
  return [...lead, ...list];
}
