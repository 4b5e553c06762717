import type { Span } from "../../types/evidence.js";

/** Embeds texts as vectors whose dot product is their similarity. */
export interface Embeddings {
  /** Identifies the model: stores compare only vectors with the same identity. */
  readonly identity: string;
  /**
   * Returns one vector of unit length per text, in order, all with the same dimensions. Some models embed questions and
   * passages differently.
   * @throws EndpointError if an endpoint refuses or does not answer; UsageError if a model cannot be loaded.
   */
  embed(
    texts: readonly string[],
    options: { as: "question" | "passage"; signal?: AbortSignal | undefined },
  ): Promise<number[][]>;
}

/** A question with a passage, or a claim with a source. */
export interface Pair {
  /** The question or the claim. */
  text: string;
  /** The passage or the source, of any length. */
  passage: string;
  /** Parts of the passage that are scored each for itself, in their context: sentences, list entries, table rows. Default: none. */
  units?: readonly Span[];
}

/** The judgement of a pair, as calibrated probabilities, 0 to 1. The decision threshold is 0.5. */
export interface Judged {
  /** That the passage is about what the question asks. */
  relevance: number;
  /** That the passage contains the answer. */
  answerability: number;
  /** That the source supports the claim, contradicts it, or does neither. The three sum to 1. */
  supported: number;
  contradicted: number;
  neither: number;
  /** The most likely answer in the passage, and the probability that it is one. Absent if the passage is empty. */
  span?: Span & { probability: number };
  /** Spans of the claim that the source does not support, in order. */
  wrong: readonly Span[];
  /** For each unit of the pair, that it answers the question; 0 for one without words. */
  units: readonly number[];
}

/** How much a judge has to do. */
export interface Load {
  /** Seconds that a question which began now would wait for older ones. */
  behind: number;
  /** Seconds that it works for a question, on average of the last ones. */
  each: number;
  /** The number of calls whose patience ended. */
  turnedAway: number;
  /** True if questions go on without it where they would wait long, since a chat model judges too. */
  isSpared: boolean;
}

/**
 * A small model for English and Chinese. Embeds texts in one space across languages (E5, arXiv 2402.05672) and judges pairs
 * of texts.
 */
export interface Encoder extends Embeddings {
  /**
   * Returns one judgement per pair, in order. The pairs of the question that began first are read first.
   * @param options.patience how many seconds a question waits for older ones. Default: as long as it takes.
   * @throws UsageError if the model cannot be loaded; the signal's reason if aborted; JudgeBusyError where patience ends.
   */
  judge(
    pairs: readonly Pair[],
    options?: { signal?: AbortSignal | undefined; patience?: number | undefined },
  ): Promise<Judged[]>;
  /** How much there is to do. Absent where that is not known. */
  load?(): Load;
  /** Begins to load the model, so that what is asked soon waits less. */
  prepare?(): void;
  /** Unloads the model and rejects calls under way. A later call loads it again. */
  close(): Promise<void>;
}
