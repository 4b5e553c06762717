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
