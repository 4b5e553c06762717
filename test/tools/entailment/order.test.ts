import { expect, test } from "vitest";
import { readClaim } from "../../../src/tools/entailment/claim.js";
import { readGround } from "../../../src/tools/entailment/ground.js";
import { orderSigns } from "../../../src/tools/entailment/order.js";

const signs = (claim: string, source: string) => orderSigns(readClaim(claim), readGround([source]));

test.each([
  [
    "The museum opened in Paris.",
    "The grand museum opened in Berlin in spring.",
    { substituted: 0, inserted: 0, free: 1 },
  ],
  ["Anna sold green boats.", "Anna sold boats.", { substituted: 0, inserted: 1, free: 0 }],
  ["Anna rented boats.", "Anna sold boats.", { substituted: 1, inserted: 0, free: 0 }],
  ["博物馆由赵德文创立", "博物馆由林克礼创立", { substituted: 1, inserted: 0, free: 0 }],
])("tells a word put in another's place from one put in between and one at the edge: %s", (claim, source, expected) => {
  expect(signs(claim, source)).toMatchObject(expected);
});

test("sees that two words have changed places", () => {
  const source = "Anna Berg hired Karl Lund.";
  expect(signs("Karl Lund hired Anna Berg.", source).turned).toBeGreaterThan(signs(source, source).turned ?? 0);
});

test("does not take words of two sentences for neighbours", () => {
  expect(signs("Anna sold boats.", "Anna sold. Boats float.").adjacent).toBe(0.5);
});
