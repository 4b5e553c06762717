// A grader of one's own in the place of the usual one: notes of meetings are never enough to answer from.
import { createAgent, type Grader } from "emend";
import { grade } from "emend/graph";

const withoutNotes = (usual: Grader): Grader => ({
  async grade(task, call) {
    const graded = await usual.grade(task, call);
    const relevance = graded.relevance.map((strips, i) =>
      task.evidence[i]?.uri.includes("/notes/") ? strips.map(() => 0) : strips,
    );
    const isEmpty = relevance.flat().every((value) => value === 0);
    return { ...graded, relevance, ...(isEmpty && { answerability: "none", probability: 0 }) };
  },
});

const agent = createAgent({ graph: { nodes: { grade: ({ grader }) => grade({ grader: withoutNotes(grader) }) } } });
const { status, text } = await agent.ask(process.argv.slice(2).join(" "));
console.log(`${status}: ${text}`);
await agent.close();
