import { inMemoryDocuments } from "../../../src/testing/documents.js";
import { conceptEmbeddings, documentsContract } from "../../contract/documents.js";

documentsContract("Documents in memory", async () => {
  const plain = inMemoryDocuments();
  const embedded = inMemoryDocuments([], { embeddings: conceptEmbeddings });
  return (options) => (options ? embedded : plain);
});
