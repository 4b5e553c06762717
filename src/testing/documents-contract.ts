import type { Documents } from "../tools/documents/port.js";
import { type ContractTest, contractOf, type Promises } from "./contract.js";
import { EMBEDDING } from "./documents-embedding.js";
import type { EmptyStore, OpenDocuments } from "./documents-sample.js";
import { SEARCHING } from "./documents-searching.js";
import { SHARING } from "./documents-sharing.js";
import { WRITING } from "./documents-writing.js";

/**
 * What every adapter of Documents promises. `newStore` prepares a separate empty store for each test. A store
 * without `embed` passes the tests of vectors.
 */
export const documentsContract = (newStore: () => Promise<OpenDocuments>): ContractTest[] =>
  contractOf({ ...SEARCHING, ...WRITING, ...SHARING, ...IF_IT_EMBEDS }, async (promise) => {
    const store = await newStore();
    const opened: Documents[] = [];
    const open: OpenDocuments = (options) => {
      const one = store(options);
      opened.push(one);
      return one;
    };
    try {
      await promise({ open, documents: open() });
    } finally {
      for (const one of opened) await one.close();
    }
  });

const IF_IT_EMBEDS: Promises<EmptyStore> = Object.fromEntries(
  Object.entries(EMBEDDING).map(([name, promise]) => [
    name,
    async (store: EmptyStore) => {
      if (store.documents.embed) await promise(store);
    },
  ]),
);
