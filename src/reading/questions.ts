import { differInAmount } from "../facts/disagree.js";
import { headingText } from "../text/markup.js";
import { asks } from "../text/prose.js";
import { coverage, jaccard } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import { blocksOf, isOneUnit, pathOf } from "./surroundings.js";
import { beginsAnswer, type Unit } from "./units.js";

/**
 * Returns what stands below the question that is above a unit, up to the next question or heading, if the user asks
 * much the same. A question is a heading, a paragraph, or the sentence before an answer that is marked as one.
 */
export function belowQuestion(unit: Unit, document: readonly Unit[], question: string): Unit[] | undefined {
  const at = document.findIndex((other) => isOneUnit(other, unit));
  const above = document.slice(0, Math.max(0, at)).findLastIndex((_, i) => isBreak(document, i));
  const asked = document[above];
  if (!asked || !asks(asked.text) || pathOf(document[above + 1] ?? asked) !== pathOf(unit)) return undefined;
  const shared = coverage(contentTerms(asked.text), new Set(contentTerms(question)));
  return shared < MUCH_THE_SAME ? undefined : answerAt(document, above);
}

/** Returns what stands first below each question that the user asks in the same words. */
export const answersTo = (question: string, units: readonly Unit[]): Unit[] =>
  units.flatMap((unit, i) => {
    if (!isBreak(units, i) || !asks(unit.text) || !isAskedIn(unit.text, question)) return [];
    return answerAt(units, i).slice(0, 1);
  });

const answerAt = (all: readonly Unit[], at: number): Unit[] => {
  const end = all.findIndex((_, i) => i > at && isBreak(all, i));
  return all.slice(at + 1, end < 0 ? undefined : end);
};

/** True for a heading, and for a question that the text after it answers. */
function isBreak(all: readonly Unit[], at: number): boolean {
  const [unit, next] = [all[at], all[at + 1]];
  if (!unit || unit.kind === "heading") return unit !== undefined;
  if (!asks(unit.text) || unit.kind === "row") return false;
  return next === undefined || beginsAnswer(next) || blocksOf([unit, next]).length > 1;
}

function isAskedIn(written: string, question: string): boolean {
  const [here, there] = [new Set(contentTerms(headingText(written))), new Set(contentTerms(question))];
  return here.size > 1 && jaccard(here, there) >= THE_SAME && !differInAmount(written, question);
}

/** Shares of words. Set by hand. */
const MUCH_THE_SAME = 0.5;
const THE_SAME = 0.8;
