// The numbers that decide, each with the measurement that chose it. research/RESULTS.md has the sets.

/**
 * When a sentence answers a question without a chat model. The scores are calibrated probabilities, 0 to 1, unless it
 * says otherwise.
 */
export const READING = {
  /**
   * The least probability of a sentence that answers; below it, the quotes are shown as unsure. Of 150 questions over five
   * handbooks, .5 stated 62 right and 17 wrong answers, .65 54 and 12, .75 49 and 11.
   */
  enough: 0.65,
  /** The same for the share of the question's words, without an encoder. */
  enoughByWords: 0.5,
  /** The probability that the result of a query answers which the question's own words name. Set by hand. */
  computed: 0.95,
  /** The least probability of a sentence that is quoted, if only as one that may answer. */
  speak: 0.3,
  /**
   * How much a passage has to be about what is asked to be quoted as one that may answer, though no sentence of it reaches
   * `speak`: the relevance of its best sentence, 0 to 1. Above 1, none is. Set by hand between .55 and .35, where with
   * `besideAGuess` at .3 4 of 150 answers more are shown, and 6 of 50 questions without an answer more are unsure.
   */
  onTopic: 0.45,
  /** If a sentence of the first two passages reaches `sure`, the third is not read; if one of the first three reaches `settled`, the others are not. */
  sure: 0.8,
  settled: 0.5,
  /** Below, a piece is not read for an answer: of 184 strips with an answer, the judge rated one below it. */
  hopeless: 0.05,
  /** The relevance from which a strip is kept (CRAG's refinement). */
  keepStrip: 0.3,
  /**
   * The weight of each feature in the log odds that a sentence answers. `section` and `sentence` are the encoder's log
   * odds for the section and for the sentence alone; `wordsShared` separates the sentences under a heading that itself
   * matches the question. Set by hand on research/eval/company: those that research/eval/calibrate.ts fitted on public
   * sets refused 50 to 80 % of the questions that the held-out sets answer. With -3 instead of -4 for `kindMissing`, 12,400 g
   * is still stated as a weight in pounds.
   */
  weights: {
    section: 0.45,
    sentence: 0.45,
    span: 0.5,
    wordsShared: 0.5,
    namesMissing: -1.5,
    amountsMissing: -1.5,
    kindMissing: -4,
    otherLanguage: -1.3,
  },
  /**
   * Chosen among -.3, -.45, -.55 and -.8 on research/eval/company, research/eval/natural and SQuAD 2.0: a lower value
   * refuses more, right answers too.
   */
  bias: -0.45,
  /** The best sentence beside a rival of another passage. Fitted to whether the best one was right, on fifteen sets. */
  certainty: { best: 1.4, rival: -4, rankedFirst: 1, bias: -0.5 },
  /** What stands below a question in the words of the user. Set by hand. */
  inWriting: 0.95,
  /**
   * The weights by which a section is the procedure that is asked for: the judge's log odds, shares of words, and 1 for a
   * list. Set by hand on ten questions over three handbooks; from `mayBe` on, it is shown as what may answer.
   */
  procedure: { judge: 0.8, heading: 3, headings: 2, words: 2, list: 0.7, bias: -4.4 },
  mayBe: 0.4,
  /** The share of the words that answer from which another sentence may say the same. Set by hand. */
  sameWords: 0.5,
  /** From probability to relevance: even odds become .6, from which an answer is drafted. Set by hand. */
  atEvenOdds: 0.6,
  /** The share of its relevance that text has which is only about the question; and the least of text that is. */
  about: 0.45,
  something: 0.3,
  /**
   * What share of the best score a further sentence needs. Beside an answer, .85 instead of .8 leaves out 13 wrong
   * sentences of 35 and 3 right ones of 16, and loses no right answer (nine sets, 153 answers). A guess has up to three
   * quotes, so it may be far from the best.
   */
  besideAnAnswer: 0.85,
  besideAGuess: 0.3,
  /** The Jaccard similarity from which two quotes say the same. Set by hand. */
  alike: 0.7,
} as const;

/**
 * Quotes answer the previous question if they answer the follow-up with at most this probability, and the previous
 * question with at least that one. Of 35 answers to follow-ups, this removes four wrong ones and no right one.
 */
export const PREVIOUS = { atMost: 0.3, atLeast: 0.5 } as const;

/**
 * When a claim holds. Those of the judge are calibrated probabilities of the encoder's support head, 0 to 1. All but
 * `likely` and `contradicted` were set by hand, not fitted to data.
 */
export const CHECKING = {
  /** At or above, the judge is sure of a claim: supported. */
  supported: 0.9,
  /** Above, a claim that no other stage settles is likely (research/RESULTS.md). */
  likely: 0.75,
  /** The most for a claim that rests on words of a scan that are marked as uncertain: about as many of them are right. */
  readWithDoubt: 0.7,
  /** Above, a window supports a claim enough to be read again, and a sentence or a quote alone supports it too. */
  even: 0.5,
  /** Below, the judge is sure that the sources do not state it: no other stage is asked. */
  unsupported: 0.1,
  /** At or above, the judge is sure that the sources say otherwise: contradicted (research/RESULTS.md). */
  contradicted: 0.9,
  /**
   * Without an encoder: the share of the claim's content terms in the nearest sentences from which `verify` finds it
   * likely.
   */
  words: 0.8,
} as const;

/**
 * The probability that the sources state a claim that exact code or the graph settled (`code`), or a chat model
 * (`model`). Assumed, not measured: `npm run eval -- support` prints how often each stage was right.
 */
export const SETTLED = {
  code: { holds: 0.99, fails: 0.02 },
  model: { holds: 0.9, fails: 0.1 },
} as const;

/**
 * The least share of a claim's content terms in a sentence for a certain mismatch; lower if the sentence has a rival:
 * another amount in that unit, or another name. Set by hand; `research/eval/mutations.ts` measures the effect. `alike`
 * (Jaccard) and `shared` (terms) are for two sentences that differ in an amount.
 */
export const AGREEMENT = {
  rivalAmount: 0.5,
  rivalName: 0.65,
  opposite: 0.5,
  near: 0.6,
  denied: 0.75,
  certain: 0.85,
  missing: 0.75,
  samePlace: 0.85,
  alike: 0.6,
  shared: 3,
} as const;

/** Which sentences a claim of any text is cited to: shares of the claim, by weight. Chosen by eye on one half of WiCE. */
export const ATTACHING = {
  enough: 0.17,
  adds: 0.12,
  much: 0.4,
  near: 0.03,
  titled: 0.3,
  long: 0.03,
  bare: 0.1,
  /** The share of a claim's numbers and names that a sentence of another language needs. */
  firm: 0.6,
  /** The weight of a word that every sentence has; the factor for names; that of an amount, relative to the rarest word. */
  common: 0.5,
  name: 1.2,
  amount: 1.2,
} as const;
