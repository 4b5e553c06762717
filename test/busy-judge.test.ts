import { expect, test } from "vitest";
import { createAgent } from "../src/agent.js";
import { JudgeBusyError } from "../src/errors.js";
import { fakePassage, fakeTools } from "../src/testing/index.js";
import { fakeEncoder } from "./encoder.js";
import { fakeServer, refuses, says, saysJson } from "./tools/chat/fake-server.js";

const QUESTION = "When does the Lisbon office open?";
const OPENS = "The Lisbon office opens at eight.";
const { documents } = fakeTools({ passages: [fakePassage("hours", OPENS)] });

// The draft is in words that code cannot settle.
const DRAFT = says("People can come to the Lisbon office from eight on [1].");
const HOLDS = saysJson({ 1: { words: [OPENS], verdict: "supported", reason: "" } });
const FAILS = refuses(500, "no");

/** Asks a question with a chat model and a judge that is 5 s behind. */
async function asked({ checks = HOLDS, encoderPatience = 0.3 } = {}) {
  await using server = await fakeServer(DRAFT, checks);
  const judge = fakeEncoder({ judge: () => ({ supported: 0.95, answerability: 0.9, relevance: 0.9 }) });
  const encoder = {
    ...judge,
    load: () => ({ behind: 5, each: 1, turnedAway: 0, isSpared: false }),
    judge: async (...[pairs, options]: Parameters<typeof judge.judge>) => {
      if (pairs.length === 0) return [];
      if ((options?.patience ?? 5) < 5) throw new JudgeBusyError(5);
      return judge.judge(pairs, options);
    },
  };
  const agent = createAgent({
    model: { model: "scripted", baseURL: server.baseURL },
    encoderPatience,
    runs: "off",
    tools: { documents, encoder },
  });
  const events = await Array.fromAsync(agent.stream(QUESTION));
  await agent.close();
  const faults = events.flatMap((event) =>
    event.type === "decision" ? event.decision.faults.map(({ message }) => `${event.decision.step}: ${message}`) : [],
  );
  const [answer] = events.flatMap((event) => (event.type === "answer" ? event.answer : []));
  return { answer, faults, load: agent.tools.encoder?.load?.() };
}

const checkedBy = (stage: string) => ({
  status: "answered",
  claims: [{ text: "People can come to the Lisbon office from eight on.", support: "supported" }],
  report: { claims: [{ settledBy: stage }] },
});
const BUSY = expect.stringMatching(/^grade: judge_busy: the judge is 5.0 s behind/);

test("a judge that is busy leaves the order of the evidence to words, and says so", async () => {
  const { answer, faults } = await asked();
  expect(answer).toMatchObject({ ...checkedBy("checker"), spend: { calls: 2 } });
  expect(faults).toEqual([BUSY]);
});

test("a judge that is busy still checks, in its turn, what the model could not", async () => {
  const { answer, faults } = await asked({ checks: FAILS });
  expect(answer).toMatchObject(checkedBy("entailment"));
  expect(faults).toEqual([BUSY, expect.stringMatching(/^checkAnswer: .*500/)]);
});

test("a judge that is less behind than a question may wait grades", async () => {
  const { answer, faults } = await asked({ encoderPatience: 6 });
  expect(answer).toMatchObject(checkedBy("checker"));
  expect(faults).toEqual([]);
});

test("a judge beside a chat model is spared, so that no question is refused", async () => {
  expect((await asked()).load).toMatchObject({ behind: 5, isSpared: true });
});
