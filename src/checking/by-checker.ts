import { contentTerms } from "../text/tokens.js";
import type { Encoder } from "../tools/encoder/port.js";
import { type CheckedClaim, type DraftClaim, holds } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence } from "../types/evidence.js";
import type { Checker } from "../types/reasoners.js";
import { windowsFor } from "./by-entailment.js";
import { unitsIn } from "./source-units.js";
import { addedBeside, type CheckingTask, type Doubt, type Finding, quoted, type Stage } from "./stages.js";
import type { Window } from "./windows.js";

/**
 * Asks a chat model about all claims at once: those of an answer by the whole passages that they cite, those of any other
 * text by the windows of its sources that could support them. What exact code found against a claim is not shown to it: on
 * a strong model's drafts those hints were false alarms. The words that it names as deciding become the quote, if the
 * sources have them.
 */
export const byChecker =
  (checker: Checker, encoder: Encoder | undefined): Stage =>
  async (doubts, task, call) => {
    const { evidence, citations } = task.find ? await nearest(doubts, task, encoder, call) : cited(doubts, task);
    const claims = doubts.map(({ claim, checked: { text } }, i) => ({ ...claim, text, citations: citations[i] ?? [] }));
    const judged = await checker.check({ ...task, evidence, claims }, call);
    return judged.map(({ words = [], ...judgement }, i): Finding => {
      const { checked } = doubts[i] as Doubt;
      const sourceOf = new Map(evidence.map(({ id, uri }) => [id, task.find ? uri : id]));
      const own = new Set(citations[i]?.map(({ evidenceId }) => sourceOf.get(evidenceId)));
      const places = [...new Set(evidence.flatMap(({ id }) => sourceOf.get(id) ?? []))];
      const named = words.filter(isTelling).flatMap((quote) => {
        const found = quoted({ citations: places.map((evidenceId) => ({ evidenceId, quote })) }, task.evidence);
        const there = found.filter(({ evidenceId }) => own.has(evidenceId));
        // The writer may have named the wrong source.
        return there.length > 0 ? there : found.slice(0, 1);
      });
      const whole = named.map((quote) => wholeSentences(quote, task.evidence));
      const unique = [...new Map(whole.map((quote) => [`${quote.evidenceId} ${quote.start}`, quote])).values()];
      const isBare = unique.length === 0 || addedBeside({ ...checked, quotes: unique }, task.evidence);
      const quotes = isBare ? [...unique, ...checked.quotes] : unique;
      if (!holds(judgement)) return { ...judgement, quotes };
      if (quotes.length === 0) return { verdict: "unsupported", reason: { code: "quote_not_found" } };
      return addedBeside({ ...checked, quotes }, task.evidence) ?? { ...judgement, quotes };
    });
  };

/** A quote of one word would show nothing. */
const isTelling = (words: string) => contentTerms(words).length > 1 || /\d/.test(words);

/** Extends a quote to whole sentences. */
function wholeSentences(
  quote: CheckedClaim["quotes"][number],
  all: readonly Evidence[],
): CheckedClaim["quotes"][number] {
  const piece = all.find(({ id }) => id === quote.evidenceId);
  const own = piece ? unitsIn(piece, quote) : [];
  const [first, last] = [own[0], own.at(-1)];
  if (!piece || !first || !last || piece.provenance) return quote;
  const [start, end] = [Math.min(first.start, quote.start), Math.max(last.end, quote.end)];
  return { ...quote, start, end, quote: piece.text.slice(start, end) };
}

interface Shown {
  evidence: readonly Evidence[];
  /** For each claim. */
  citations: readonly DraftClaim["citations"][];
}

const cited = (doubts: readonly Doubt[], { evidence }: CheckingTask): Shown => ({
  evidence,
  citations: doubts.map(({ claim }) => claim.citations),
});

/** Shows the windows as sources of their own, whose address is the id of the source that they are cut from. */
async function nearest(
  doubts: readonly Doubt[],
  task: CheckingTask,
  encoder: Encoder | undefined,
  { signal }: Call,
): Promise<Shown> {
  const windows = await windowsFor(doubts, task, encoder, signal);
  const all = [...new Map(windows.flat().map((window) => [window.text, window])).values()];
  const evidence = all.flatMap((window, i) => asSource(window, i));
  const citations = windows.map((own) =>
    own.flatMap(({ text }) => {
      const source = evidence[all.findIndex((window) => window.text === text)];
      return source ? [{ evidenceId: source.id, quote: "" }] : [];
    }),
  );
  return { evidence, citations };
}

function asSource({ parts, text }: Window, i: number): Evidence[] {
  const [first] = parts;
  return first
    ? [{ ...first.evidence, id: `window ${i + 1}`, uri: first.evidence.id, title: "", text, strips: [] }]
    : [];
}
