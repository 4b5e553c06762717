import { inMemoryDocuments } from "../../../src/testing/documents.js";
import type { Documents } from "../../../src/tools/documents/port.js";
import { conceptEmbeddings, documentsContract } from "../../contract/documents.js";

documentsContract("Documents in memory", async () => {
  let current = conceptEmbeddings;
  const store = inMemoryDocuments([], {
    embeddings: { identity: "current", embed: (...asked) => current.embed(...asked) },
  });
  const withoutModel: Documents = {
    ...store,
    embed: async () => {},
    embedded: async () => [],
    search: (query, ...rest) => store.search({ ...query, mode: "fullText" }, ...rest),
  };
  return (options) => {
    if (!options?.embeddings) return withoutModel;
    current = options.embeddings;
    return store;
  };
});
