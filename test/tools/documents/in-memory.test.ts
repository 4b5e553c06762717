import { inMemoryDocuments } from "../../../src/testing/documents.js";
import { conceptEmbeddings } from "../../../src/testing/documents-sample.js";
import type { Documents } from "../../../src/tools/documents/port.js";
import { ownDocumentsContract } from "../../contract/documents.js";
import { keeps } from "../../contract/keeps.js";

keeps(
  "Documents in memory",
  ownDocumentsContract(async () => {
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
  }),
);
