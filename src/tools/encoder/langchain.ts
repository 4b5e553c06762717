import { EndpointError } from "../../errors.js";
import { unitLengths } from "./math.js";
import type { Embeddings } from "./port.js";

/** LangChain embeddings. Structural, since they may come from another copy of LangChain. */
export interface LangchainEmbeddings {
  embedDocuments(texts: string[]): Promise<number[][]>;
  embedQuery(text: string): Promise<number[]>;
}

/**
 * Adapts LangChain embeddings.
 * @param identity see `Embeddings`. Default: the name of the model, or else of the class.
 */
export function langchainEmbeddings(embeddings: LangchainEmbeddings, identity = nameOf(embeddings)): Embeddings {
  let dimensions: number | undefined;
  return {
    identity,
    async embed(texts, { as, signal }) {
      signal?.throwIfAborted();
      try {
        const vectors =
          as === "question"
            ? await Promise.all(texts.map((text) => embeddings.embedQuery(text)))
            : await embeddings.embedDocuments([...texts]);
        signal?.throwIfAborted();
        const units = unitLengths(vectors, texts.length, dimensions);
        dimensions ??= units[0]?.length;
        return units;
      } catch (error) {
        signal?.throwIfAborted();
        const why = error instanceof Error ? error.message.slice(0, 200) : "";
        throw new EndpointError(`The embeddings ${identity} fail. ${why}`.trim(), 0, { cause: error });
      }
    },
  };
}

function nameOf(embeddings: LangchainEmbeddings): string {
  const named = [Reflect.get(embeddings, "model"), Reflect.get(embeddings, "modelName"), embeddings.constructor.name];
  return named.find((name) => typeof name === "string" && name !== "") ?? "embeddings";
}
