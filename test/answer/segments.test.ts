import { describe, expect, test } from "vitest";
import { composeAnswer } from "../../src/answer/compose.js";
import { citingNote, flattened, joined, paragraph, withoutCitations, withText } from "../../src/answer/segments.js";
import type { Claim, Reference } from "../../src/types/answer.js";

const claim = (text: string, ...references: number[]): Claim => ({
  text,
  support: "supported",
  citations: references.map((reference) => ({ reference, quote: text, start: 0, end: text.length })),
});
const reference = (number: number, date: string): Reference => ({
  ...{ number, evidenceId: `${number}`, source: "document", title: "", uri: "", section: "", date },
});

describe("the text of an answer", () => {
  test("puts lists right below their introductions, and blank lines between paragraphs", () => {
    const kinds = ["text", "lead", "bullet", "bullet", "note", "step", "step"] as const;
    const { text } = withText(kinds.map((kind, i) => paragraph(`${i}`, kind)));
    expect(text).toBe("0\n\n1\n- 2\n- 3\n\n4\n\n1. 5\n2. 6");
  });

  test("can be read without its markers and the spaces before them", () => {
    const claims = [claim("One.", 1, 2), claim("Two.", 1)];
    const disagreements = [{ newer: 2, older: 1 }];
    const references = [reference(1, "2020-01-01"), reference(2, "2021-01-01")];
    const segments = composeAnswer({ claims, references, disagreements, missing: "" }, "other", "en");
    expect(withoutCitations(segments)).toBe(
      "One. Two.\n\nThe sources disagree: (2021-01-01) and (2020-01-01) say different things.",
    );
  });
});

test("a marker names its reference and the claim it belongs to, and no claim if it is in a note", () => {
  const answer = { claims: [claim("A.", 1, 2), claim("B.", 1)], references: [], missing: "" };
  const segments = composeAnswer({ ...answer, disagreements: [{ newer: 2, older: 1 }] }, "other", "en");
  const markers = flattened(segments).filter((piece) => piece.reference !== undefined);
  expect(markers.map((piece) => [piece.text, piece.reference, piece.claimIndex])).toEqual([
    [" [1]", 1, 0],
    ["[2]", 2, 0],
    [" [1]", 1, 1],
    [" [2]", 2, undefined],
    [" [1]", 1, undefined],
  ]);
});

test("words that only look like a marker stay words", () => {
  const [note] = [citingNote(["The part [9] is ", 1, "."])];
  expect(joined(note.pieces)).toBe("The part [9] is [1].");
  expect(withoutCitations([note])).toBe("The part [9] is.");
});
