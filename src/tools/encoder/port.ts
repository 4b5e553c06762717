import type { Span } from "../../types/evidence.js";

/** Turns texts into vectors whose dot product is their similarity. An encoder is one. */
export interface Embeddings {
  /** The model's name, or what else changes with its vectors: a store compares vectors of one model only. */
  readonly identity: string;
  /**
   * One unit-length vector a text, in order, all of the same length. Some models read a question otherwise than a passage.
   * @throws EndpointError when an endpoint refuses or does not answer; UsageError when a model cannot be loaded.
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
  /** The passage or the source, of any length: a long one is read in windows. */
  passage: string;
}

/** What the judge says of a pair. Every number is a calibrated probability, 0 to 1; 0.5 is the decision. */
export interface Judged {
  /** The passage is about what the question asks. */
  relevance: number;
  /** The passage holds the answer to the question. */
  answerability: number;
  /** The source says the claim, denies it, or leaves it open; the three sum to 1. */
  supported: number;
  contradicted: number;
  neither: number;
  /** Where in the passage the answer stands most likely, and how likely it is there at all. Absent in an empty passage. */
  span?: Span & { probability: number };
  /** Words of the claim that the source does not carry, as places in the claim, in order. */
  wrong: readonly Span[];
}

/**
 * A small model that reads: texts as vectors in one space across languages (E5, arXiv 2402.05672), and pairs of texts as
 * probabilities. English and Chinese.
 */
export interface Encoder extends Embeddings {
  /**
   * One judgement a pair, in order.
   * @throws UsageError where the model cannot be loaded; the signal's reason once it is aborted.
   */
  judge(pairs: readonly Pair[], options?: { signal?: AbortSignal | undefined }): Promise<Judged[]>;
  /** Lets the model go; what is under way is rejected. A later call loads it again. */
  close(): Promise<void>;
}
