import assert from "node:assert/strict";
import { questionHash, type RunFilter, type Runs } from "../tools/runs/port.js";
import type { Feedback } from "../types/feedback.js";
import type { RunRecord } from "../types/run.js";
import { type ContractTest, contractOf, type Promises } from "./contract.js";

const QUESTION = "How many days of paid leave do staff have?";
const DAY = 86_400_000;

/** A record of an answered run. */
export const fakeRun = (given: Partial<RunRecord> = {}): RunRecord => ({
  at: new Date().toISOString(),
  question: QUESTION,
  questionHash: questionHash(given.question ?? QUESTION),
  ...{ language: "en", isFollowUp: false, scope: "", status: "answered", stopReason: "supported", confidence: 0.9 },
  retrieved: { pieces: 2, score: [0.1, 0.1, 0.1, 0.2, 0.2], relevance: null },
  used: ["leave#0"],
  disagreements: [],
  claims: { drafted: 2, quoted: 2, shown: 1, dropped: 1 },
  failures: [],
  spend: { calls: 1, inputTokens: 100, cachedTokens: 10, outputTokens: 20, milliseconds: 1_500 },
  route: [],
  ...given,
});

/** A reader's opinion that an answer is wrong. */
export const fakeFeedback = (given: Partial<Feedback> = {}): Feedback => ({
  ...{ id: "1", at: "2026-03-01T09:00:00.000Z", question: QUESTION, verdict: "down", reason: "", expected: "" },
  ...{ status: "answered", text: "", claims: [], history: [], ...given },
});

/**
 * What every adapter of Runs promises, if it keeps questions and records of any age. `newStore` prepares a separate
 * empty store for each test. The tests call `close` to wait until records are written, and read afterwards.
 */
export const runsContract = (newStore: () => Promise<Runs>): ContractTest[] => runsTests(newStore, PROMISES);

/** Tests of promises, each over a store of its own. */
export const runsTests = (newStore: () => Promise<Runs>, promises: Promises<Runs>): ContractTest[] =>
  contractOf(promises, async (promise) => {
    const runs = await newStore();
    try {
      await promise(runs);
    } finally {
      await runs.close();
    }
  });

const PROMISES: Promises<Runs> = {
  "an empty store finds nothing without an error": async (runs) => {
    assert.deepEqual(await runs.find({}, 9), []);
    assert.equal(await runs.get(1), undefined);
    const { runs: count, refused, milliseconds } = await runs.totals({});
    assert.deepEqual([count, refused, milliseconds], [0, 0, 0]);
    const { days, tags, unanswered, disliked, disagreeing } = await runs.quality(new Date(0));
    assert.deepEqual([days, tags, unanswered, disliked, disagreeing], [[], [], [], [], []]);
    assert.equal(runs.lost(), undefined);
  },

  "recorded runs are returned as they were, the newest first, by any condition": async (runs) => {
    const old = fakeRun({ at: new Date(Date.now() - 9 * DAY).toISOString(), question: "何时？", language: "zh" });
    const refused = fakeRun({ status: "refused", failures: ["NO_RECALL", "OVERGEN"], isFollowUp: true, scope: "s" });
    const added = [old, refused, fakeRun()];
    for (const one of added) runs.add(one, "");
    await runs.close();
    const found = await runs.find({}, 9);
    assert.deepEqual(
      found.map(({ id: _, feedback: __, ...run }) => run),
      added.toReversed(),
    );
    const places = async (filter: RunFilter) =>
      (await runs.find(filter, 9)).map(({ id }) => found.findIndex((one) => one.id === id));
    assert.deepEqual(await places({ since: new Date(Date.now() - DAY) }), [0, 1]);
    assert.deepEqual(await places({ until: new Date(Date.now() - DAY) }), [2]);
    assert.deepEqual(await places({ status: "refused" }), [1]);
    assert.deepEqual(await places({ tag: "OVERGEN" }), [1]);
    assert.deepEqual(await places({ tag: "OVER" }), []);
    assert.deepEqual(await places({ failed: true }), [1]);
    assert.deepEqual(await places({ scope: "s", status: "answered" }), []);
    assert.equal((await runs.find({}, 1)).length, 1);
    assert.deepEqual(await runs.get(found[1]?.id ?? 0), found[1]);
  },

  "totals are the sums of the runs that meet the conditions": async (runs) => {
    const failed = {
      ...{ step: "generate", to: "respond", reason: { code: "done" } as const, calls: 1, tokens: 0, milliseconds: 9 },
      faults: [{ part: "chat_model", name: "EndpointError", message: "" }],
    };
    const given: Partial<RunRecord>[] = [
      {},
      // Answered without the model that failed.
      { route: [failed] },
      { status: "refused", isFollowUp: true, failures: ["NO_RECALL", "PROMPT_FAIL"] },
      { scope: "s", status: "partial", failures: ["SOURCE_FAIL", "PROMPT_FAIL"] },
      { status: "unsure", stopReason: "unsure" },
    ];
    for (const one of given) runs.add(fakeRun(one), "");
    await runs.close();
    assert.deepEqual(
      { ...(await runs.totals({})) },
      {
        ...{ runs: 5, refused: 1, unavailable: 0, partial: 1, unsure: 1, faults: 3, followUps: 1, up: 0, down: 0 },
        ...{ drafted: 10, quoted: 10, dropped: 5 },
        ...{ calls: 5, inputTokens: 500, outputTokens: 100, milliseconds: 7_500 },
      },
    );
    assert.equal((await runs.totals({ scope: "s" })).calls, 1);
  },

  "a reader's opinion belongs to the newest run of the question in the conversation": async (runs) => {
    for (const thread of ["a", "a", "b"]) runs.add(fakeRun(), thread);
    runs.flag("a", `${QUESTION} `, "down");
    runs.flag("unknown", QUESTION, "up");
    await runs.close();
    const opinions = (await runs.find({}, 9)).map(({ feedback }) => feedback);
    assert.deepEqual(opinions, ["", "down", ""]);
    assert.equal((await runs.find({ feedback: "down" }, 9)).length, 1);
    const { up, down } = await runs.totals({});
    assert.deepEqual([up, down], [0, 1]);
  },

  "opinions are returned as they were said, the newest last, and the last one on an answer replaces the others": async (
    runs,
  ) => {
    assert.deepEqual((await runs.feedback()).opinions, []);
    const history = [{ question: "And in May?\0", answer: "没有。\n" }];
    const other = fakeFeedback({ id: "2", verdict: "up", claims: ["八点。"], history });
    const last = fakeFeedback({ reason: "Too many.", expected: "20", label: "OVERGEN" });
    for (const said of [fakeFeedback(), other, last]) await runs.addFeedback(said, { thread: "a" });
    assert.deepEqual((await runs.feedback()).opinions, [other, last]);
  },

  "a review belongs to a run, and one of an unknown run is ignored": async (runs) => {
    runs.add(fakeRun(), "a");
    await runs.close();
    const [run] = await runs.find({}, 1);
    const review = fakeFeedback({ unanswerable: true });
    await runs.addFeedback(review, { run: run?.id ?? 0 });
    await runs.addFeedback(fakeFeedback({ id: "2" }), { run: 99 });
    assert.deepEqual((await runs.feedback()).opinions, [review]);
  },

  "an alert is new to one of all who note it at the same time, each time that it is raised or resolved": async (
    runs,
  ) => {
    const note = (isRaised: boolean) => Promise.all([1, 2, 3, 4].map(() => runs.noteAlert("拒答 above 0.3", isRaised)));
    const first = [false, false, false, true];
    assert.deepEqual((await note(false)).toSorted(), [false, false, false, false]);
    for (const isRaised of [true, false, true]) assert.deepEqual((await note(isRaised)).toSorted(), first);
    assert.equal(await runs.noteAlert("another", true), true);
    assert.equal(await runs.noteAlert("拒答 above 0.3", true), false);
  },
};
