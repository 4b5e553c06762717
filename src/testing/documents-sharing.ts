import assert from "node:assert/strict";
import type { Embeddings } from "../tools/encoder/port.js";
import type { Promises } from "./contract.js";
import type { EmptyStore, OpenDocuments } from "./documents-sample.js";
import { conceptEmbeddings, pagesOf } from "./documents-sample.js";

/** What several instances of any store see of each other. */
export const SHARING: Promises<EmptyStore> = {
  "an instance finds what another one wrote, without being reopened": async ({ documents, open }) => {
    const other = open();
    await documents.upsert(pagesOf("a", ["first"]));
    assert.deepEqual(
      (await other.search({ text: "first" }, 10)).map(({ id }) => id),
      ["a#0"],
    );
    await documents.upsert(pagesOf("a", ["second"]));
    assert.deepEqual(await other.search({ text: "first" }, 10), []);
    assert.deepEqual(
      (await other.get(["a#0"])).map(({ text }) => text),
      ["second"],
    );
  },

  "what was written is kept after closing and reopening": async ({ documents, open }) => {
    await documents.upsert(pagesOf("a", ["lasting", "持久"]));
    await documents.close();
    const again = open();
    assert.equal((await again.search({ text: "lasting 持久" }, 10)).length, 2);
    assert.deepEqual(await again.list(), [{ documentId: "a", hash: "", passages: 2 }]);
  },

  "a search by words during a write sees the old or the new, never a mix": ({ open }) => whileWriting(open),

  "a search by words and vectors during a write sees the old or the new, never a mix": ({ open }) =>
    whileWriting(open, conceptEmbeddings),

  "all concurrent writes are stored, and two versions of a document are never mixed": async ({ documents, open }) => {
    const writers = [documents, open()];
    await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const own = pagesOf(`own ${n}`, ["a", "b"]);
        const shared = pagesOf("shared", Array(n + 1).fill(`by ${n}`), `${n}`);
        await writers[n % 2]?.upsert([...own, ...shared]);
      }),
    );
    const listed = await documents.list();
    assert.equal(listed.filter(({ documentId }) => documentId.startsWith("own")).length, 8);
    const shared = listed.find(({ documentId }) => documentId === "shared");
    assert.equal(shared?.passages, Number(shared?.hash) + 1);
  },
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
