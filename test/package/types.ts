// Compiled against the packed package and the newest peers, and by `npm run types` against the oldest. Never run.
import { HumanMessage } from "@langchain/core/messages";
import { Command, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { type Answer, createAgent, createGraph, type Decision } from "emend";
import { afterGrade, buildGraph, grade, type NodeOf } from "emend/graph";
import { fakeTools } from "emend/testing";
import { z } from "zod";

const tools = fakeTools();
const question = "When does the Lisbon office open?";
const { graph } = createAgent({ tools });

const said = await graph.invoke({ question }, { context: { passages: 3, web: { approve: true } } });
export const answer: Answer | undefined = said.answer;
export const decisions: Decision[] = said.decisions;
export const text: string | undefined = said.messages.at(-1)?.text;

await graph.invoke({ messages: [{ role: "user", content: question }] }, { configurable: { thread_id: "1" } });
await graph.invoke({ messages: [new HumanMessage(question)] });
await graph.invoke(new Command({ resume: "the office in Lisbon" }));
await createGraph(tools).invoke({ question });
// @ts-expect-error There is no such input.
await graph.invoke({ query: question });
// @ts-expect-error A number of passages is a number.
await graph.invoke({ question }, { context: { passages: "three" } });
// @ts-expect-error A question is a text.
await graph.invoke({ question: 1 });

for await (const { answer } of await graph.stream({ question }, { streamMode: "values" })) answer?.text.trim();
for await (const { grade } of await graph.stream({ question }, { streamMode: "updates" })) grade?.verdict?.relevance;
for await (const [mode, chunk] of await graph.stream({ question }, { streamMode: ["custom", "updates"] }))
  console.log(mode, chunk);

// In another graph.
new StateGraph(MessagesAnnotation).addNode("emend", graph).addEdge(START, "emend").compile();

// Extended.
const state = { tries: z.number().default(0), note: z.string().optional() };
const count: NodeOf<typeof state> =
  () =>
  ({ tries, note = "" }) => ({ tries: tries + 1, note: note.trim() });
const own = buildGraph(tools, {
  state,
  nodes: { grade: (given) => grade(given) },
  before: {
    generate: {
      trim:
        () =>
        ({ note }, { context, call }) => ({ note: `${note} ${context.passages} ${call.calls}` }),
    },
  },
  after: { retrieve: { count } },
  rungs: {
    ask: {
      node:
        () =>
        ({ tries }) => ({ tries }),
      label: "ask",
      helps: ({ tries }) => tries < 2,
    },
  },
  edges: {
    grade: {
      router: (now, context) => afterGrade(now, context),
      labels: { generate: "it answers", respond: "it does not" },
    },
  },
}).compile();
const built = await own.invoke({ question }, { context: { thorough: true } });
export const tries: number = built.tries;
export const note: string | undefined = built.note;
// @ts-expect-error A field has the type of its schema.
export const wrong: NodeOf<typeof state> = () => () => ({ tries: "many" });
// @ts-expect-error There is no such node.
buildGraph(tools, { after: { retreive: { count: () => () => ({}) } } });
