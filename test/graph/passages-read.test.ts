import { expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { fakeGrader, fakePassage, fakeTools, inMemoryDocuments } from "../../src/testing/index.js";
import type { Decision } from "../../src/types/events.js";
import { fakeEncoder } from "../encoder.js";

const documents = () =>
  inMemoryDocuments(
    ["one", "two", "three", "four", "five"].map((name) => fakePassage(name, `The ${name} office opens at eight.`)),
  );

/** The passages that a judge reads, which finds what it says in each of them, and the failure of the refusal. */
async function readBy(answerability: number) {
  const encoder = fakeEncoder({ judge: () => ({ answerability, relevance: answerability }) });
  const agent = createAgent({ tools: { ...fakeTools({}), documents: documents(), ...localReasoners({ encoder }) } });
  const decisions: Decision[] = [];
  for await (const event of agent.stream("When does the office open?"))
    if (event.type === "decision") decisions.push(event.decision);
  return decisions.filter(({ step }) => step === "grade").map(({ read }) => read);
}

test("a step counts the passages that the judge has read: two if these answer, more if they do not", async () => {
  expect(await readBy(0.99)).toEqual([2]);
  expect((await readBy(0.01))[0]).toBe(5);
});

test("a grader that does not say what it reads has read all", async () => {
  const agent = createAgent({ tools: { ...fakeTools({}), documents: documents(), grader: fakeGrader({}) } });
  const reads: (number | undefined)[] = [];
  for await (const event of agent.stream("When does the office open?"))
    if (event.type === "decision" && event.decision.step === "grade") reads.push(event.decision.read);
  expect(reads).toEqual([5]);
});

test("a refusal counts what was read in its evidence", async () => {
  const encoder = fakeEncoder({ judge: () => ({ answerability: 0.01, relevance: 0.01 }) });
  const tools = { ...fakeTools({}), documents: documents(), ...localReasoners({ encoder }) };
  const { failures } = await createAgent({ tools }).ask("When does the office open?");
  expect(failures[0]?.evidence).toMatch(/^I read 5 passages;/);
});
