import type { Find } from "../citing/attach.js";
import { contentTerms, plain } from "../text/tokens.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { CheckedClaim } from "../types/answer.js";
import type { ClaimReason } from "../types/claim-reason.js";
import { type Evidence, overlap, type Span } from "../types/evidence.js";
import { mapWithTurns } from "../waiting.js";
import { misplaced } from "./belongs.js";
import { doubtOf } from "./doubts.js";
import { type Entailed, entailed, foremost, JUDGED, likeliest, nearestPart } from "./entail.js";
import { nearestSentence } from "./facts/faults.js";
import { negations } from "./facts/negation.js";
import { quantities } from "./facts/numbers.js";
import { approached, stated } from "./facts/stated.js";
import { type SourceUnit, sourceUnitsAround, unitsIn } from "./source-units.js";
import { type CheckingTask, checkStatements, type Doubt, type Finding, type Stage } from "./stages.js";
import { SETTLED, THRESHOLDS } from "./thresholds.js";
import { type Window, windowAround, windowsOf } from "./windows.js";

/**
 * Judges claims by the encoder's support head: those of an answer against the context of their quotes, those of any
 * other text against the windows of the sources that could support them. If the head is sure, its verdict is final,
 * else it is tentative. Exact code can veto a claim that the head supports, for a missing amount or cells of two rows.
 */
export const byEntailment =
  (encoder: Encoder): Stage =>
  async (doubts, task, { signal }) => {
    const { find } = task;
    const windows = await windowsFor(doubts, task, encoder, signal);
    const judged = await entailed(
      doubts.map(({ checked: { text } }, i) => ({ text, windows: windows[i] ?? [] })),
      encoder,
      signal,
    );
    const best = await mapWithTurns(doubts, ({ checked }, i) => chosen(checked, judged[i] ?? [], task), signal);
    const ones = best.map(({ one }) => one);
    const quotes = find && (await quotesIn(doubts, ones, find, encoder, signal));
    return doubts.map(({ checked }, i): Finding => {
      const { one, veto } = best[i] ?? {};
      if (!one) return {};
      const said = { ...readEntailed(one), ...veto };
      const keeps = !quotes || (said.verdict === "unsupported" && checked.quotes.length > 0);
      return keeps ? said : { ...said, quotes: quotes[i] ?? [] };
    });
  };

/**
 * Chooses the window that decides: the first supporting one that exact code does not veto. A contradiction is final; an
 * amount that is missing from one window may be in the next.
 */
function chosen(
  { text, quotes }: Pick<CheckedClaim, "text" | "quotes">,
  judged: readonly Entailed[],
  { evidence, find }: CheckingTask,
): { one?: Entailed | undefined; veto?: Finding } {
  const places = sourceUnitsAround(judged.flatMap(({ window }) => window.parts));
  let refused: { one: Entailed; veto: Finding } | undefined;
  for (const one of judged.filter(({ supported }) => supported > THRESHOLDS.likely)) {
    const own = find ? find(text, partsOf(one)) : quotes;
    const veto = vetoOf({ text, quotes: own }, one, places, evidence);
    if (!veto || veto.verdict === "contradicted") return { one, ...(veto && { veto }) };
    refused ??= { one, veto };
  }
  return refused ?? { one: foremost(judged) };
}

async function windowsFor(
  doubts: readonly Doubt[],
  { evidence, find }: Pick<CheckingTask, "evidence" | "find">,
  encoder: Encoder,
  signal: AbortSignal,
): Promise<Window[][]> {
  const windowsOfQuotes = ({ checked: { quotes } }: Doubt) =>
    evidence.flatMap((piece) => {
      const own = quotes.filter(({ evidenceId }) => evidenceId === piece.id);
      return own.length > 0 ? windowAround(piece, own) : [];
    });
  const around = await mapWithTurns(doubts, windowsOfQuotes, signal);
  if (!find) return around;
  const near = await likeliest(
    doubts.map(({ checked: { text } }) => text),
    windowsOf(evidence),
    encoder,
    signal,
  );
  return near.map((some, i) => [
    ...some.slice(0, JUDGED - 1),
    ...(around[i] ?? []).slice(0, 1),
    ...some.slice(JUDGED - 1),
  ]);
}

/** Finds the words of each judged window that support its claim: by shared words or, if there are none, by meaning. */
async function quotesIn(
  doubts: readonly Doubt[],
  judged: readonly (Entailed | undefined)[],
  find: Find,
  encoder: Encoder,
  signal: AbortSignal,
): Promise<CheckedClaim["quotes"][]> {
  const found = await mapWithTurns(doubts, ({ checked: { text } }, i) => find(text, partsOf(judged[i])), signal);
  const open = found.flatMap((quotes, i) => (quotes.length === 0 && judged[i] ? [i] : []));
  const parts = open.map((i) => (judged[i]?.window.parts ?? []).flatMap(sentencesOf));
  const near = await nearestPart(
    open.map((i, at) => ({ text: doubts[i]?.checked.text ?? "", parts: parts[at]?.map(({ quote }) => quote) ?? [] })),
    encoder,
    signal,
  );
  for (const [at, i] of open.entries()) found[i] = parts[at]?.slice(near[at] ?? 0, (near[at] ?? 0) + 1) ?? [];
  return found;
}

const partsOf = (one: Entailed | undefined) =>
  (one?.window.parts ?? []).map(({ evidence: { id }, start, end }) => ({ evidenceId: id, start, end }));

const sentencesOf = ({ evidence, ...part }: Window["parts"][number]) =>
  unitsIn(evidence, part)
    .filter(({ start, end, kind }) => part.start <= start && end <= part.end && kind !== "heading")
    .map(({ start, end, text: quote }) => ({ evidenceId: evidence.id, quote, start, end }));

/** Reads the probabilities of a judgement as a finding. */
function readEntailed({ supported, contradicted, wrong }: Entailed): Finding {
  const tentative = supported < THRESHOLDS.supported && supported >= THRESHOLDS.unsupported;
  const found = { probability: supported, contradicted, tentative };
  const marks = wrong.length > 0 && { wrong: wrong.map(({ start, end }) => ({ start, end })) };
  if (supported > THRESHOLDS.likely) {
    const verdict = tentative ? "likely" : "supported";
    return { ...found, verdict, reason: { code: "judged", probability: supported }, ...(tentative && marks) };
  }
  if (contradicted >= THRESHOLDS.contradicted)
    return {
      ...found,
      verdict: "contradicted",
      reason: { code: "judged_otherwise", probability: contradicted },
      ...marks,
    };
  return { ...found, verdict: "unsupported", reason: { code: "judged", probability: supported }, ...marks };
}

/**
 * Returns the veto of exact code against a claim that the judge supports. It is final, since a chat model asked later
 * would agree with its own claim.
 */
function vetoOf(
  { text, quotes }: Pick<CheckedClaim, "text" | "quotes">,
  one: Entailed,
  places: readonly SourceUnit[],
  evidence: readonly Evidence[],
): Finding | undefined {
  const settled = { probability: SETTLED.code.fails, tentative: false };
  const { verdict, ...found } = checkStatements({ text, quotes }, evidence);
  if (verdict === "unsupported" || verdict === "contradicted") return { ...found, verdict, ...settled };
  const { place = one.window } = one;
  const said = quotes.map(({ quote }) => quote);
  const reason =
    misplaced(text, place.text, places) ??
    (one.place && missing(text, one.wrong, place.text)) ??
    doubtOf(text, one.window.text, said);
  return reason ? { verdict: "unsupported", reason, ...settled } : undefined;
}

/**
 * Says which of the words that the judge marks as wrong are not in the place, or which amount is not in its nearest
 * sentence.
 */
function missing(claim: string, wrong: readonly Span[], place: string): ClaimReason | undefined {
  const [said, amounts] = [plain(place), quantities(nearestSentence(claim, [place]))];
  const isMarked = (amount: Span) => wrong.some((span) => overlap(span, amount));
  const amount = quantities(claim).find(
    (one) => isMarked(one) && stated(one, amounts) === "no" && !approached(one, amounts),
  );
  const marked = wrong.map(({ start, end }) => claim.slice(start, end));
  const there = new Set(contentTerms(place));
  // A denial may be worded differently.
  const isThere = (words: string) =>
    said.includes(plain(words)) ||
    (contentTerms(words).length > 0 && contentTerms(words).every((term) => there.has(term))) ||
    (negations(words) > 0 && negations(place) > 0);
  const words = amount?.text ?? marked.find((one) => !isThere(one));
  return words === undefined ? undefined : { code: "not_mentioned", missing: [words] };
}
