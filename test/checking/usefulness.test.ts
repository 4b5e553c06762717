import { expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { aliasesOf } from "../../src/language/aliases.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import { fakeEncoder } from "../encoder.js";

const passages = [fakePassage("house", "The Lisbon office has a garden.")];
const draft = {
  generate: async () => ({
    claims: [
      {
        text: "The Lisbon office has a garden.",
        citations: [{ evidenceId: passages[0]?.id ?? "", quote: "The Lisbon office has a garden." }],
      },
    ],
    missing: "",
  }),
};
test("claims are judged against the question in their own words", async () => {
  const encoder = fakeEncoder({ judge: () => ({ answerability: 0.9 }) });
  const aliases = aliasesOf([["HQ", "Lisbon office", "里斯本办公室"]]);
  const tools = { ...fakeTools({ passages }), generator: draft, encoder, aliases };
  await createAgent({ tools }).ask("Does the HQ have a garden?");
  expect(encoder.asked.map(({ text }) => text)).toContain("Does the Lisbon office have a garden?");
});

const asked = (answerability: number) =>
  createAgent({
    tools: { ...fakeTools({ passages }), generator: draft, encoder: fakeEncoder({ judge: () => ({ answerability }) }) },
  }).ask("When does the Lisbon office open?");

test("what is supported and beside the point is not shown as the answer", async () => {
  const answer = await asked(0.01);
  expect(answer).toMatchObject({ status: "refused", claims: [] });
  expect(answer.failures.map(({ tag }) => tag)).toContain("OVERGEN");
});

test("what answers is shown", async () => {
  const { claims, report } = await asked(0.9);
  expect(claims.map(({ text }) => text)).toEqual(["The Lisbon office has a garden."]);
  expect(report.usefulness).toBe(0.9);
});
