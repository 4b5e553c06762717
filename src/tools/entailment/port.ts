/** How sure it is that sources state all of a claim, told without a language model. */
export interface Entailment {
  /** What scored, and with which weights: "local:1", "cross-encoder:<model>". Scores of two of them do not compare. */
  readonly identity: string;
  readonly thresholds: Thresholds;
  /**
   * One number a pair, in order, from 0 to 1: the chance that its sources together state all of its claim, where half of
   * all claims are supported. A claim without words, or without a source that has some, scores 0.
   * @throws EndpointError, where what scores is behind an endpoint; the signal's reason, once it is aborted.
   */
  score(pairs: readonly Pair[], options?: { signal?: AbortSignal }): Promise<number[]>;
}

export interface Pair {
  claim: string;
  /** Together they have to state it; each in full, not only the words around a quote. */
  sources: readonly string[];
}

/** Where scores are cut; 0 <= rejectBelow <= decideAt <= acceptAt <= 1. */
export interface Thresholds {
  /** At or above: likely. */
  acceptAt: number;
  /** Below: unsupported. In between it is in doubt. */
  rejectBelow: number;
  /** Where what is in doubt is cut if nobody else decides: as good at finding what is supported as what is not. */
  decideAt: number;
}

/** What a score says. */
export function readScore(score: number, { acceptAt, rejectBelow }: Thresholds): "likely" | "unsupported" | "doubtful" {
  if (score >= acceptAt) return "likely";
  return score < rejectBelow ? "unsupported" : "doubtful";
}
