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
  /**
   * How the text is read: the beginning of a question, a claim as far as the model can. A pair costs the less. Default:
   * as a claim.
   */
  as?: "question" | "claim";
  /** The passage or the source, of any length. */
  passage: string;
  /**
   * Parts of the passage that are scored one by one, in context: sentences, list entries, table rows. Default: none.
   */
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
  /** For each unit of the pair, that it answers the question, and that it states the claim; 0 for one without words. */
  units: readonly { answers: number; states: number }[];
}

/** How busy a judge is. */
export interface Load {
  /** The seconds that a new question would wait for older ones. */
  behind: number;
  /** The seconds that it works for a question of the usual size, the median of the last ones. */
  each: number;
  /** The number of calls rejected with a JudgeBusyError. */
  turnedAway: number;
  /** True if a chat model grades in its place when the wait is long. */
  isSpared: boolean;
}

/**
 * A small model for English and Chinese. Embeds texts in one space across languages (E5, arXiv 2402.05672) and judges
 * pairs of texts.
 */
export interface Encoder extends Embeddings {
  /**
   * Returns one judgement per pair, in order. The question that began first is served first.
   * @param options.patience the most seconds that a question may have to wait for older ones. Default: no limit.
   * @throws UsageError if the model cannot be loaded; the signal's reason if aborted; JudgeBusyError if the expected
   * wait exceeds `patience`.
   */
  judge(
    pairs: readonly Pair[],
    options?: { signal?: AbortSignal | undefined; patience?: number | undefined },
  ): Promise<Judged[]>;
  /** Returns how busy it is. Absent if that is not known. */
  load?(): Load;
  /** Begins to load the model, so that the next call waits less. */
  prepare?(): void;
  /** Unloads the model and rejects calls under way. A later call loads it again. */
  close(): Promise<void>;
}
