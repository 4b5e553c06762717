import { once } from "node:events";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { createGraph } from "../../../src/graph/build.js";
import { modelReasoners } from "../../../src/prompting/model-reasoners.js";
import type { Tools } from "../../../src/state/tools.js";
import { fakeGrader, fakePassage, fakeTools, inMemoryDocuments } from "../../../src/testing/index.js";
import { trusting } from "../../trusting.js";

const passages = [
  fakePassage("lisbon", "The Lisbon office opens at eight. It closes at six."),
  fakePassage("leave", "Everybody has twenty-two days of leave. Leave is planned in March."),
  fakePassage("上海", "上海办公室早上九点开门。晚上六点关门。", { language: "zh" }),
];

/** Answers at once. */
export const plain = createGraph(fakeTools({ passages }));

/** Asks which office is meant until the question names one. */
export const unclear = createGraph(
  fakeTools({
    passages,
    grader: {
      grade: (task, call) =>
        fakeGrader(
          task.question.includes("Lisbon")
            ? {}
            : { relevance: 0.4, answerability: "none", clarification: "Which office do you mean?" },
        ).grade(task, call),
    },
  }),
);

/** Finds evidence that is sufficient only with a threshold below the default. */
export const halfway = createGraph(
  fakeTools({ passages, grader: fakeGrader({ relevance: 0.5, answerability: "full" }) }),
);

/** Always finds something new to search for, read and say, and always misses something. */
export const insatiable = createGraph(insatiableTools());

/** Grades a question for ever until it is aborted, and grades that question at once from then on. */
export const patient = createGraph(fakeTools({ passages, grader: patientGrader() }));

/** Asks a model at every stage. Its streamed replies are useless, so that the fakes take over. */
export const talkative = createGraph(
  fakeTools({
    passages,
    ...trusting(modelReasoners({ chat: new FakeListChatModel({ responses: ["Said inside."] }) }), fakeTools()),
  }),
);

function insatiableTools(): Tools {
  let n = 0;
  const next = () => `Fact ${++n} is written down.`;
  return fakeTools({
    // A grader that says "full" would be believed, so this one says "unknown".
    grader: fakeGrader({ answerability: "unknown" }),
    documents: {
      ...inMemoryDocuments(),
      search: async () => [{ ...fakePassage(`p${++n}`, next()), score: 1 }],
    },
    rewriter: { standalone: async (question) => question, rewrite: async () => next() },
    generator: {
      generate: async ({ evidence }) => ({
        claims: evidence.flatMap(({ id, text }) => [
          { text, citations: [{ evidenceId: id, quote: text }] },
          { text: next(), citations: [{ evidenceId: id, quote: text }] },
        ]),
        missing: "more",
      }),
    },
  });
}

function patientGrader(): Tools["grader"] {
  const stopped = new Set<string>();
  return {
    grade: async (task, call) => {
      if (stopped.has(task.question)) return fakeGrader({}).grade(task, call);
      await once(call.signal, "abort");
      stopped.add(task.question);
      throw call.signal.reason;
    },
  };
}
