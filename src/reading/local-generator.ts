import { type Aliases, NO_ALIASES } from "../text/aliases.js";
import { jaccard } from "../text/similarity.js";
import { isKept } from "../text/strips.js";
import { contentTerms } from "../text/tokens.js";
import { READING } from "../thresholds.js";
import { type DraftClaim, holds } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";
import type { GenerateTask, Generator } from "../types/reasoners.js";
import { stillOpen } from "./missing.js";
import type { Reader, Reading } from "./reading.js";
import { pathOf } from "./surroundings.js";
import type { Unit } from "./units.js";
import { wholeOf } from "./whole.js";

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
      const least = graded === undefined ? READING.speak : 0;
      const claims = choose(found, task, { enough: reader.enough, least }).filter(
        ({ text }) => text !== "" && !rejected.includes(text),
      );
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
 * Quotes what answers best, whole. A comparison has several quotes; so has what only may answer, of other
 * sections if there are any, the best first.
 */
function choose(
  found: readonly Reading[],
  task: Pick<GenerateTask, "question" | "intent" | "evidence" | "verdict">,
  { enough, least }: { enough: number; least: number },
): DraftClaim[] {
  const { question, intent, evidence, verdict } = task;
  const best = Math.max(0, ...found.map(({ answers }) => answers));
  const isGuess = verdict?.probability === undefined ? best < enough : verdict.answerability !== "full";
  const ranked = found
    .filter(({ answers }) => answers > 0 && answers >= least)
    .toSorted((a, b) => b.answers - a.answers);
  const near = ranked.filter(({ answers }) => answers >= best * READING.besideAnAnswer);
  const far = isGuess ? ranked.filter(({ answers }) => answers >= best * READING.besideAGuess) : near;
  // The steps may not answer one by one.
  const sections = found.filter(({ procedure }) => intent === "steps" && procedure >= READING.mayBe);
  const some = [...sections.toSorted((a, b) => b.procedure - a.procedure || b.answers - a.answers), ...far];
  const most = isGuess ? MOST_GUESSES : intent === "comparison" ? MOST_COMPARED : 1;
  const quotes: DraftClaim[][] = [];
  const chosen: Reading[] = [];
  for (const one of isGuess ? bySection(some) : some) {
    if (quotes.length === most) break;
    const isToldBefore = quotes.some((claims) => claims.some((claim) => isIn(one, claim)));
    if (isToldBefore || chosen.some((other) => jaccard(termsOf(one), termsOf(other)) >= READING.alike)) continue;
    const isSection = intent === "steps" && quotes.length === 0;
    chosen.push(one);
    // A sentence that refers to the one before it is quoted with it.
    const best = near.find((other) => isWithin(one, other)) ?? one;
    quotes.push(wholeOf(best, { question, intent, evidence, others: far, isGuess: isGuess && !isSection }));
  }
  let blocks = 0;
  const claims = quotes.flatMap((claims) => {
    const first = blocks;
    return claims.map((claim): DraftClaim => {
      const form = claim.form ?? { kind: "text", block: 0 };
      blocks = Math.max(blocks, first + form.block + 1);
      const kind =
        intent === "comparison" && quotes.length > 1 && !isGuess && form.kind === "text" ? "bullet" : form.kind;
      return { ...claim, form: { ...form, kind, block: first + form.block } };
    });
  });
  return [...new Map(claims.map((claim) => [`${claim.citations[0]?.evidenceId} ${claim.text}`, claim])).values()];
}

/** The best of each section, then all others. */
function bySection(all: readonly Reading[]): Reading[] {
  const sections = Map.groupBy(all, (one) => `${one.evidence.uri}\n${pathOf(one)}`);
  const first = [...sections.values()].flatMap(([best]) => best ?? []);
  return [...first, ...all.filter((one) => !first.includes(one))];
}

/** True if a unit is in the words that a claim quotes. */
const isIn = ({ evidence, text }: Unit, { citations }: DraftClaim) =>
  citations.some(({ evidenceId, quote }) => evidenceId === evidence.id && quote.includes(text));

const MOST_GUESSES = 3;
const MOST_COMPARED = 4;

/** True if the second of two units is quoted with the first. */
const isWithin = (one: Unit, other: Unit) =>
  one !== other && one.evidence.id === other.evidence.id && other.from <= one.from && one.end < other.end;

const termsOf = ({ text }: Unit) => new Set(contentTerms(text));
