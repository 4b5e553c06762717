import { expect, test } from "vitest";
import { inEmptyStore } from "../../eval/empty-store.js";
import { UsageError } from "../../src/errors.js";
import { inMemoryDocuments } from "../../src/testing/documents.js";
import { fakePassage } from "../../src/testing/index.js";

test("a store that holds documents is refused, and left as it is", async () => {
  const documents = inMemoryDocuments([fakePassage("own#0", "mine")]);
  const measuring = inEmptyStore(documents, () => documents.upsert([fakePassage("eval#0", "measured")]));
  await expect(measuring).rejects.toThrow(UsageError);
  await expect(measuring).rejects.toThrow(/holds 1 documents.*NEO4J_DATABASE/);
  expect((await documents.get(["own#0", "eval#0"])).map(({ id }) => id)).toEqual(["own#0"]);
});

test("what was put into an empty store is there for the work, and gone afterwards", async () => {
  const documents = inMemoryDocuments();
  const found = await inEmptyStore(documents, async () => {
    await documents.upsert([fakePassage("eval#0", "measured 测量")]);
    return documents.search({ text: "测量" }, 5);
  });
  expect(found).toHaveLength(1);
  expect(await documents.list()).toEqual([]);
});

test("what was put there is gone also when the work fails", async () => {
  const documents = inMemoryDocuments();
  const failing = inEmptyStore(documents, async () => {
    await documents.upsert([fakePassage("eval#0", "measured")]);
    throw new Error("no model answers");
  });
  await expect(failing).rejects.toThrow("no model answers");
  expect(await documents.list()).toEqual([]);
});
