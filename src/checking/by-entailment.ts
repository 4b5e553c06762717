import type { Find } from "../citing/attach.js";
import { nearestSentence } from "../facts/mismatches.js";
import { negations } from "../facts/negation.js";
import { quantities } from "../facts/numbers.js";
import { approached, stated } from "../facts/stated.js";
import { linksAsWords } from "../text/markup.js";
import { overlap } from "../text/spans.js";
import { contentTerms, plain } from "../text/tokens.js";
import { CHECKING, SETTLED } from "../thresholds.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { CheckedClaim } from "../types/answer.js";
import type { ClaimReason } from "../types/claim-reason.js";
import type { Evidence, Span } from "../types/evidence.js";
import { mapWithTurns } from "../waiting.js";
import { misplaced } from "./belongs.js";
import { doubtOf } from "./doubts.js";
import { type Entailed, entailed, foremost, JUDGED, likeliest, placeOf } from "./entail.js";
import { type SourceUnit, sourceUnitsAround } from "./source-units.js";
import { addedBeside, type CheckingTask, checkStatements, type Doubt, type Finding, type Stage } from "./stages.js";
import { type Window, windowAround, windowsOf } from "./windows.js";

/**
 * Judges claims by the encoder's support head: those of an answer against the context of their quotes, those of any
 * other text against the windows of the sources that could support them. If the head is sure, its verdict is final,
 * else it is tentative. Exact code can veto a claim that the head supports, for a missing amount or cells of two rows.
 */
export const byEntailment =
  (encoder: Encoder): Stage =>
  async (doubts, task, { signal }) => {
    const windows = await windowsFor(doubts, task, encoder, signal);
    const judged = await entailed(
      doubts.map(({ checked: { text } }, i) => ({ text: linksAsWords(text), windows: windows[i] ?? [] })),
      encoder,
      signal,
    );
    const best = await mapWithTurns(doubts, ({ checked }, i) => chosen(checked, judged[i] ?? [], task), signal);
    return doubts.map(({ checked }, i): Finding => {
      const { one, veto, quotes } = best[i] ?? {};
      if (!one) return {};
      const { wrong = [], ...said } = { ...readEntailed(one), ...veto };
      const marked = { ...said, ...(wrong.length > 0 && linksAsWords(checked.text) === checked.text && { wrong }) };
      const keeps = !quotes || (said.verdict === "unsupported" && checked.quotes.length > 0);
      return keeps ? marked : { ...marked, quotes };
    });
  };

/** The window that decides on a claim, exact code's veto, and the words of the window that a claim of any text rests on. */
interface Chosen {
  one?: Entailed | undefined;
  veto?: Finding | undefined;
  quotes?: CheckedClaim["quotes"] | undefined;
}

/**
 * Chooses the window that decides: the first supporting one that exact code does not veto. A contradiction is final; an
 * amount that is missing from one window may be in the next.
 */
function chosen(
  { text, quotes }: Pick<CheckedClaim, "text" | "quotes">,
  judged: readonly Entailed[],
  { evidence, find }: CheckingTask,
): Chosen {
  const places = sourceUnitsAround(judged.flatMap(({ window }) => window.parts));
  let refused: Chosen | undefined;
  for (const one of judged.filter(({ supported }) => supported > CHECKING.likely)) {
    const own = find && quotesIn(text, one, find);
    const said = { text: linksAsWords(text), quotes: own ?? quotes };
    const added = addedBeside({ ...said, text }, evidence);
    const veto = added ? { ...added, ...FAILED } : vetoOf(said, one, places, evidence);
    if (!veto || veto.verdict === "contradicted") return { one, veto, quotes: own };
    refused ??= { one, veto, quotes: own };
  }
  if (refused) return refused;
  const one = foremost(judged);
  return { one, quotes: one && find && quotesIn(text, one, find) };
}

/**
 * Returns the sentences of a judged window that share most words with the claim, unless another one, by its tokens, states
 * it more than twice as much: then that one.
 */
function quotesIn(text: string, { window, places }: Entailed, find: Find): CheckedClaim["quotes"] {
  const parts = window.parts.map(({ evidence: { id }, start, end }) => ({ evidenceId: id, start, end }));
  const near = find(text, parts);
  const best = placeOf({ places });
  const shared = places.filter((place) =>
    near.some((quote) => quote.evidenceId === place.evidence.id && overlap(quote, place)),
  );
  if (!best || shared.some(({ states }) => 2 * states >= best.states)) return near;
  const { start, end, evidence } = best;
  return [{ evidenceId: evidence.id, quote: evidence.text.slice(start, end), start, end }];
}

/**
 * Returns the windows that each claim is judged against: those around its quotes or, for a claim of any text, the likeliest
 * ones of all sources, where the one around its quotes stands for those that hold them too.
 */
export async function windowsFor(
  doubts: readonly Doubt[],
  { evidence, find }: Pick<CheckingTask, "evidence" | "find">,
  encoder: Encoder | undefined,
  signal: AbortSignal,
): Promise<Window[][]> {
  const around = ({ checked: { quotes } }: Doubt) =>
    evidence.flatMap((piece) => {
      const own = quotes.filter(({ evidenceId }) => evidenceId === piece.id);
      return own.length > 0 ? windowAround(piece, own) : [];
    });
  if (!find || !encoder) return mapWithTurns(doubts, around, signal);
  const near = await likeliest(
    doubts.map(({ checked: { text } }) => text),
    windowsOf(evidence),
    encoder,
    signal,
  );
  const withQuotes = (doubt: Doubt, i: number) => {
    const [own] = around(doubt);
    if (!own) return near[i] ?? [];
    const { quotes } = doubt.checked;
    // A window of several short pieces is more than the one around a quote of one of them.
    const isReadThere = (window: Window) =>
      window.parts.length === 1 && quotes.some((quote) => isIn(quote, window) && isIn(quote, own));
    return [...(near[i] ?? []).slice(0, JUDGED - 1).filter((window) => !isReadThere(window)), own];
  };
  return mapWithTurns(doubts, withQuotes, signal);
}

const isIn = ({ evidenceId, start, end }: CheckedClaim["quotes"][number], { parts }: Window) =>
  parts.some((part) => part.evidence.id === evidenceId && part.start <= start && end <= part.end);

/** Reads the probabilities of a judgement as a finding. */
function readEntailed({ supported, contradicted, wrong }: Entailed): Finding {
  const tentative = supported < CHECKING.supported && supported >= CHECKING.unsupported;
  const found = { probability: supported, contradicted, tentative };
  const marks = wrong.length > 0 && { wrong: wrong.map(({ start, end }) => ({ start, end })) };
  if (supported > CHECKING.likely) {
    const verdict = tentative ? "likely" : "supported";
    return { ...found, verdict, reason: { code: "judged", probability: supported }, ...(tentative && marks) };
  }
  if (contradicted >= CHECKING.contradicted)
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
  const { verdict, ...found } = checkStatements({ text, quotes }, evidence);
  if (verdict === "unsupported" || verdict === "contradicted") return { ...found, verdict, ...FAILED };
  const said = quotes.map(({ quote }) => quote);
  const reason =
    misplaced(text, (one.close ?? one.window).text, places) ??
    (one.close && missing(text, one.wrong, one.close.text)) ??
    doubtOf(text, one.window.text, said);
  return reason ? { verdict: "unsupported", reason, ...FAILED } : undefined;
}

const FAILED = { probability: SETTLED.code.fails, tentative: false };

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
