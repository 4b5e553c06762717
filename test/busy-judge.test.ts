import { expect, test } from "vitest";
import { createAgent } from "../src/agent.js";
import { JudgeBusyError } from "../src/errors.js";
import { fakePassage, fakeTools } from "../src/testing/index.js";
import { fakeEncoder } from "./encoder.js";
import { fakeServer, says } from "./tools/models/fake-server.js";

const QUESTION = "When does the Lisbon office open?";
const { documents } = fakeTools({ passages: [fakePassage("hours", "The Lisbon office opens at eight.")] });

/** Asks a question with a chat model and a judge that is 5 s behind after this many uses. */
async function asked(judgedBefore: number, encoderPatience?: number, answerability = 0.9) {
  // The draft is in words that code cannot settle.
  const draft = "People can come to the Lisbon office from eight on [1].";
  await using server = await fakeServer(says(draft));
  const judge = fakeEncoder({ judge: () => ({ supported: 0.95, answerability, relevance: 0.9 }) });
  let uses = 0;
  const encoder = {
    ...judge,
    load: () => ({ behind: 5, each: 1, turnedAway: 0, isSpared: false }),
    judge: async (...[pairs, options]: Parameters<typeof judge.judge>) => {
      if (pairs.length === 0) return [];
      uses += 1;
      if (uses > judgedBefore && (options?.patience ?? 5) < 5) throw new JudgeBusyError(5);
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

const CHECKED = {
  status: "answered",
  claims: [{ text: "People can come to the Lisbon office from eight on.", support: "supported" }],
  report: { claims: [{ settledBy: "entailment" }] },
};

test("a judge that is busy at the check still checks, in its turn", async () => {
  const { answer, faults } = await asked(2);
  expect(answer).toMatchObject(CHECKED);
  expect(faults).toEqual([]);
});

test("a judge that is busy throughout leaves it to the draft, in one call, says so, and still checks", async () => {
  const { answer, faults } = await asked(0);
  expect(answer).toMatchObject({ ...CHECKED, spend: { calls: 1 } });
  expect(faults).toEqual([expect.stringMatching(/^grade: judge_busy: the judge is 5.0 s behind/)]);
});

test("a draft that probably does not answer is not shown if the judge was busy, nor written or reworded again", async () => {
  const { answer } = await asked(0, undefined, 0.3);
  expect(answer).toMatchObject({ status: "refused", spend: { calls: 1 } });
});

test("a judge that is less behind than a question may wait grades", async () => {
  const { answer, faults } = await asked(0, 6);
  expect(answer).toMatchObject({ ...CHECKED, spend: { calls: 1 } });
  expect(faults).toEqual([]);
});

test("a judge beside a chat model is spared, so that no question is refused", async () => {
  expect((await asked(0)).load).toMatchObject({ behind: 5, isSpared: true });
});
