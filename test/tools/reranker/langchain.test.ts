import type { DocumentInterface } from "@langchain/core/documents";
import { BaseDocumentCompressor } from "@langchain/core/retrievers/document_compressors";
import { describe, expect, test } from "vitest";
import { rerankerContract } from "../../../src/testing/reranker-contract.js";
import { langchainReranker } from "../../../src/tools/reranker/rerankers.js";
import { keeps } from "../../contract/keeps.js";

class Shortest extends BaseDocumentCompressor {
  async compressDocuments(documents: DocumentInterface[], query: string) {
    if (query === "fail") throw new Error("no quota");
    if (query === "invent") return [{ pageContent: "Something else.", metadata: {} }];
    return documents.toSorted((a, b) => a.pageContent.length - b.pageContent.length).slice(0, 2);
  }
}

/** Puts the documents with most words of the question first. */
class ByWords extends BaseDocumentCompressor {
  async compressDocuments(documents: DocumentInterface[], query: string) {
    const words = new Set(query.toLowerCase().split(/\W+/));
    const shared = ({ pageContent }: DocumentInterface) =>
      pageContent
        .toLowerCase()
        .split(/\W+/)
        .filter((word) => words.has(word)).length;
    return documents.toSorted((a, b) => shared(b) - shared(a));
  }
}
keeps(
  "A LangChain document compressor",
  rerankerContract(async () => langchainReranker(new ByWords())),
);

describe("a LangChain document compressor as a reranker", () => {
  const reranker = langchainReranker(new Shortest());

  test("turns its order into scores, with 0 for omitted passages", async () => {
    expect(await reranker.rank("?", ["three three", "one", "two two"])).toEqual([0, 1, 1 - 1 / 3]);
    expect(await reranker.rank("?", [])).toEqual([]);
    expect(reranker.identity).toBe("Shortest");
  });

  test.each([
    ["fail", "The reranker Shortest fails. no quota"],
    ["invent", "returns other documents than it got"],
  ])("fails with a clear error (%s)", async (question, message) => {
    await expect(reranker.rank(question, ["one", "two"])).rejects.toMatchObject({
      name: "EndpointError",
      message: expect.stringContaining(message),
    });
  });

  test("stops when aborted, even if the compressor does not", async () => {
    const never = langchainReranker({ compressDocuments: () => new Promise(() => {}) }, "never");
    const stop = new AbortController();
    const ranking = never.rank("?", ["one"], { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(ranking).rejects.toThrow("enough");
  });
});
