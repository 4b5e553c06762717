// A node between two: of what the documents gave, the latest reviewed passages are read first, and five at most.
import { createAgent } from "emend";
import type { NodeOf } from "emend/graph";

const newestFirst: NodeOf =
  () =>
  ({ evidence }) => ({
    evidence: evidence.toSorted((a, b) => b.reviewedAt.localeCompare(a.reviewedAt)).slice(0, 5),
  });

const agent = createAgent({ graph: { after: { retrieve: { newestFirst } } } });
const { text, references } = await agent.ask(process.argv.slice(2).join(" "));
console.log(text);
for (const { number, uri } of references) console.log(`[${number}] ${uri}`);
await agent.close();
