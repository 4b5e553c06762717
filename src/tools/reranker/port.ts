/** A model that ranks the passages that a search found. It reads the question together with each passage. */
export interface Reranker {
  /** Identifies the model, for people. */
  readonly identity: string;
  /**
   * Returns one score per passage, in their order: 0 to 1, higher is better, comparable within one call only.
   * @throws EndpointError if the model refuses, does not answer, or returns anything else.
   */
  rank(
    question: string,
    passages: readonly string[],
    options?: { signal?: AbortSignal | undefined },
  ): Promise<number[]>;
}
