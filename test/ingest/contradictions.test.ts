import { expect, test } from "vitest";
import { contradictionsOf } from "../../src/ingest/contradictions.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import type { Encoder } from "../../src/tools/encoder/port.js";

async function found(texts: Record<string, string>, title = (_id: string) => "Policy") {
  const passages = Object.entries(texts).map(([id, text]) =>
    fakePassage(id, text, { documentId: id, title: title(id) }),
  );
  const [first] = passages;
  const all = first ? await contradictionsOf(first, inMemoryDocuments(passages)) : [];
  return all.map(({ sentence, other, otherSentence }) => [sentence, other.documentId, otherSentence]);
}

test("sentences of two documents that differ only in an amount contradict each other", async () => {
  const one = "A night in a hotel may cost at most 120 euros.";
  const other = "A hotel night may cost at most 150 euros.";
  expect(await found({ a: `${one} It rains.`, b: `Hello. ${other}` })).toEqual([[one, "b", other]]);
  const [早, 晚] = ["出差期间每天的餐补为80元。", "出差期间每天的餐补为110元。"];
  expect(await found({ a: 早, b: 晚 })).toEqual([[早, "b", 晚]]);
});

test("a paraphrase with another amount contradicts if the judge finds in each sentence the amount that the other asks for", async () => {
  const one = "Full-time employees get 30 days of annual leave.";
  const other = "Every member of staff is entitled to 38 days' annual leave a year.";
  const [a, b] = [one, other].map((text, i) => fakePassage(`p${i}`, text, { documentId: `d${i}`, title: "" }));
  if (!a || !b) throw new Error("There are two passages.");
  const asked: string[] = [];
  const finding = (answerability: number) => {
    const judge: Encoder["judge"] = async (pairs) => {
      asked.push(...pairs.map(({ text, passage }) => `${text} / ${passage}`));
      return pairs.map((pair) => ({ ...NOTHING, answerability: pair.passage === one ? answerability : 0.9 }));
    };
    return contradictionsOf(a, inMemoryDocuments([a, b]), { encoder: { judge } as Encoder });
  };
  expect((await finding(0.9)).map(({ otherSentence }) => otherSentence)).toEqual([other]);
  expect(await finding(0.4)).toEqual([]);
  expect(asked.slice(0, 2)).toEqual([
    `Full-time employees get how many days of annual leave? / ${other}`,
    `Every member of staff is entitled to how many days' annual leave a year? / ${one}`,
  ]);
});

const NOTHING = { relevance: 0, answerability: 0, supported: 0, contradicted: 0, neither: 1, wrong: [], units: [] };

test("equal amounts, other subjects and data sheets of several things do not contradict each other", async () => {
  const hotel = "A night in a hotel may cost at most 120 euros.";
  expect(await found({ a: hotel, b: hotel })).toEqual([]);
  expect(await found({ a: hotel, b: "A night in a hostel in Rome may cost at most 60 euros." })).toEqual([]);
  const sheet = (years: string) => `The warranty period of the pump is ${years}.`;
  expect(await found({ a: sheet("two years"), b: sheet("three years"), c: sheet("five years") })).toEqual([]);
  expect(await found({ a: sheet("two years"), b: sheet("three years") }, (id) => `Pump H-40${id}`)).toEqual([]);
});
