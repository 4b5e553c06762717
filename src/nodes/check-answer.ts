import { anchored } from "../checking/anchored.js";
import { checkClaims, lowered, reportOn } from "../checking/cascade.js";
import {
  answersAll,
  answersBefore,
  answersSome,
  besideThePoint,
  isBesideThePoint,
  isCopied,
  lacksAnswer,
  usefulnessOf,
  withoutAsides,
  withoutGuesses,
} from "../checking/usefulness.js";
import { evidenceToRead } from "../state/evidence.js";
import type { Node } from "../state/node.js";
import type { State } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import { isSure } from "../tools/models/with-judge.js";
import { type Draft, type DraftClaim, holds, type Report } from "../types/answer.js";
import { type Evidence, isUnsure, type Language } from "../types/evidence.js";

/**
 * Checks every claim of the draft, cheapest stages first. If the answer depends on claims that neither code nor the
 * encoder settles, a model is asked about them; it can only lower their verdicts. Without an encoder, the model
 * decides. The sentences that the judge would quote replace a draft of which no claim holds, one that probably does not
 * answer, and one that lacks the words of an answer that the judge is sure of.
 */
export const checkAnswer =
  ({ checker, encoder, aliases, knowledge }: Pick<Tools, "checker" | "encoder" | "aliases" | "knowledge">): Node =>
  async (state, { context, call }) => {
    const { understood, verdict } = state;
    const evidence = evidenceToRead(state);
    const draft = state.draft ?? { claims: [], missing: "" };
    if (!understood) return {};
    const { question, language, before } = understood;
    const task = { question, language, evidence };
    // A busy judge vouches for nothing, so the draft has to answer by itself.
    const judged = verdict?.undecided ? { probability: 0, ...verdict } : verdict;
    // The judge was trained on English and Chinese. In other languages its doubt says less, and the model decides.
    const isServed = encoder !== undefined && language !== "other";
    const tools = {
      ...(encoder && { encoder }),
      ...(knowledge && context.sources.graph && { knowledge }),
      ...(!isServed && checker && { checker }),
    };
    const useful = async (claims: Report["claims"], asked = question) =>
      encoder && (await usefulnessOf(asked, claims, evidence, { encoder, aliases, call }));

    const checked = async (drafted: readonly DraftClaim[], isOfModel: boolean) => {
      const { claims, stages } = await checkClaims({ ...task, claims: drafted }, tools, call);
      const shown = isServed ? await anchored(claims, evidence, encoder, call) : claims;
      const sure = isServed ? withoutGuesses(shown, judged) : shown;
      const held = isOfModel ? withoutAsides(sure, evidence) : sure;
      return { claims: held, stages, usefulness: await useful(held) };
    };

    let all = await checked(draft.claims, checker !== undefined);
    if (isServed && checker && (call.thorough || (await restsOnDoubt(all.claims, useful)))) {
      const claims = await lowered(all.claims, task, checker, call);
      if (claims.some((claim, i) => claim !== all.claims[i]))
        all = { ...all, claims, usefulness: await useful(claims) };
    }
    const { quotes = [] } = draft;
    const doubted = isServed && !(isUnsure(verdict) && !draft.quotes) ? judged : undefined;
    const bar = isElsewhere(all.claims, quotes) ? { probability: 0 } : doubted;
    const isOfBefore =
      before !== undefined && answersBefore(await useful(all.claims, state.question), await useful(all.claims, before));
    if (all.usefulness && (isOfBefore || isCopied(all.claims, doubted) || isBesideThePoint(all.usefulness, bar)))
      all = { ...all, claims: besideThePoint(all.claims) };
    const isAnswered = all.claims.some(holds) && (!all.usefulness || answersSome(all.usefulness));
    const isFound =
      verdict !== undefined && isSure(verdict) && quotes.every((quote) => isIn(language, quote, evidence));
    const quoted = quotes.length > 0 && (!isAnswered || isFound) ? await checked(quotes, false) : undefined;
    const isLeftOut = isFound && quoted?.usefulness && lacksAnswer(all.claims, quoted.usefulness, question);
    const isBetter = (!isAnswered || isLeftOut) && answersSome(quoted?.usefulness);
    const isQuoted = quoted !== undefined && (!all.claims.some(holds) || isBetter);
    if (isQuoted) all = quoted;
    const unsure = isUnsure(verdict) && (isQuoted || !draft.quotes) && all.claims.some(holds);

    const isWhole = all.usefulness !== undefined && all.claims.some(holds) && answersAll(all.usefulness);
    const lacks = draft.claims.length === 0 ? verdict?.missing : "";
    const report = reportOn(all, language, {
      ...(all.usefulness && { usefulness: all.usefulness.some }),
      ...(unsure && { unsure }),
      contextSufficiency: SUFFICIENCY[verdict?.answerability ?? "none"],
      missing: isWhole || unsure ? "" : draft.missing || (isQuoted ? "" : lacks) || "",
    });
    return { report, attempts: withReport(state, draft, report) };
  };

const SUFFICIENCY = { full: "sufficient", partial: "partial", none: "insufficient", unknown: "partial" } as const;

/** True if some claims are only likely and the supported ones do not answer without them. */
async function restsOnDoubt(
  claims: Report["claims"],
  useful: (claims: Report["claims"]) => Promise<{ some: number } | undefined>,
): Promise<boolean> {
  if (!claims.some(({ verdict }) => verdict === "likely")) return false;
  return !answersSome(await useful(claims.filter(({ verdict }) => verdict === "supported")));
}

/** True if no claim that holds rests on a sentence that the judge would quote. */
function isElsewhere(claims: Report["claims"], quotes: readonly DraftClaim[]): boolean {
  const best = quotes.flatMap(({ citations }) => citations);
  const isBest = ({ evidenceId, quote }: { evidenceId: string; quote: string }) =>
    best.some((one) => one.evidenceId === evidenceId && (one.quote.includes(quote) || quote.includes(one.quote)));
  return best.length > 0 && !claims.some((claim) => holds(claim) && claim.quotes.some(isBest));
}

/** True if a claim cites only evidence in a language. */
const isIn = (language: Language, { citations }: DraftClaim, evidence: readonly Evidence[]) =>
  citations.every(({ evidenceId }) => evidence.find(({ id }) => id === evidenceId)?.language === language);

/** A first draft completes the attempt that grading began; a repaired one is an attempt of its own. */
function withReport(state: State, draft: Draft, report: Report): State["attempts"] {
  const last = state.attempts.at(-1);
  if (!last) return state.attempts;
  const repair = last.report !== undefined;
  const attempt = { ...last, repair, draft, report, spend: state.spend };
  return repair ? [...state.attempts, attempt] : [...state.attempts.slice(0, -1), attempt];
}
