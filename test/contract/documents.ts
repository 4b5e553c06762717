import { documentsTests } from "../../src/testing/documents-contract.js";
import type { OpenDocuments } from "../../src/testing/index.js";
import { type ContractTest, documentsContract } from "../../src/testing/index.js";
import { EMBEDDING } from "./documents-embedding.js";
import { SEARCHING } from "./documents-searching.js";
import { SHARING } from "./documents-sharing.js";
import { WRITING } from "./documents-writing.js";

/** The promises of the port, and what emend's own stores do beyond them. */
export const ownDocumentsContract = (newStore: () => Promise<OpenDocuments>): ContractTest[] => [
  ...documentsContract(newStore),
  ...documentsTests(newStore, { ...SEARCHING, ...WRITING, ...SHARING }, EMBEDDING),
];
