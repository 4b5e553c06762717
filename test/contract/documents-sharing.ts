import assert from "node:assert/strict";
import type { Promises } from "../../src/testing/contract.js";
import type { EmptyStore, OpenDocuments } from "../../src/testing/documents-sample.js";
import { conceptEmbeddings, pagesOf } from "../../src/testing/documents-sample.js";
import type { Embeddings } from "../../src/tools/encoder/port.js";

export const SHARING: Promises<EmptyStore> = {
  "a search by words during a write sees the old or the new, never a mix": ({ open }) => whileWriting(open),

  "a search by words and vectors during a write sees the old or the new, never a mix": ({ open }) =>
    whileWriting(open, conceptEmbeddings),
};

async function whileWriting(open: OpenDocuments, embeddings?: Embeddings) {
  const writer = open(embeddings && { embeddings });
  const reader = open(embeddings && { embeddings });
  const edition = (n: number) => pagesOf("book", Array(6).fill(`holiday rules, edition ${n} 版本`), `${n}`);
  await writer.upsert(edition(0));
  await writer.embed?.();
  let isWriting = true;
  const write = async () => {
    try {
      for (let n = 1; n <= 8; n++) {
        await writer.upsert(edition(n));
        await writer.embed?.();
      }
    } finally {
      isWriting = false;
    }
  };
  const read = async () => {
    const seen: string[] = [];
    while (isWriting) {
      const results = await reader.search({ text: "holiday rules 版本" }, 20);
      assert.equal(results.length, 6);
      seen.push([...new Set(results.map(({ hash }) => hash))].join("+"));
    }
    return seen;
  };
  const [, ...readings] = await Promise.all([write(), read(), read()]);
  for (const seen of readings) {
    assert.deepEqual(
      seen.filter((editions) => editions.includes("+")),
      [],
    );
    const numbers = seen.map(Number);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  }
}
