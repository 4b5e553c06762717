/** Turns texts into vectors whose dot product is their similarity. */
export interface Embeddings {
  /** The model's name; a store refuses vectors of another model than it was built with. */
  readonly model: string;
  /**
   * One unit-length vector a text, in order, all of the same length.
   * @throws EndpointError when the endpoint refuses or does not answer.
   */
  embed(texts: readonly string[], options?: { signal?: AbortSignal }): Promise<number[][]>;
}
