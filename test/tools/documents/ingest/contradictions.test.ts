import { expect, test } from "vitest";
import { fakePassage, inMemoryDocuments } from "../../../../src/testing/index.js";
import { contradictionsOf } from "../../../../src/tools/documents/ingest/contradictions.js";

async function found(texts: Record<string, string>, title = (_id: string) => "Policy") {
  const passages = Object.entries(texts).map(([id, text]) =>
    fakePassage(id, text, { documentId: id, title: title(id) }),
  );
  const [first] = passages;
  const all = first ? await contradictionsOf(first, inMemoryDocuments(passages)) : [];
  return all.map(({ sentence, other, otherSentence }) => [sentence, other.documentId, otherSentence]);
}

test("sentences of two documents that differ in nothing but an amount contradict each other", async () => {
  const one = "A night in a hotel may cost at most 120 euros.";
  const other = "A hotel night may cost at most 150 euros.";
  expect(await found({ a: `${one} It rains.`, b: `Hello. ${other}` })).toEqual([[one, "b", other]]);
  const [早, 晚] = ["出差期间每天的餐补为80元。", "出差期间每天的餐补为110元。"];
  expect(await found({ a: 早, b: 晚 })).toEqual([[早, "b", 晚]]);
});

test("equal amounts, other matters and data sheets of several things do not", async () => {
  const hotel = "A night in a hotel may cost at most 120 euros.";
  expect(await found({ a: hotel, b: hotel })).toEqual([]);
  expect(await found({ a: hotel, b: "A night in a hostel in Rome may cost at most 60 euros." })).toEqual([]);
  const sheet = (years: string) => `The warranty period of the pump is ${years}.`;
  expect(await found({ a: sheet("two years"), b: sheet("three years"), c: sheet("five years") })).toEqual([]);
  expect(await found({ a: sheet("two years"), b: sheet("three years") }, (id) => `Pump H-40${id}`)).toEqual([]);
});
