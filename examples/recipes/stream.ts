// An answer step by step: node stream.ts "When does the Lisbon office open?"
import { createAgent, reasonInWords } from "emend";

const agent = createAgent();
for await (const event of agent.stream(process.argv[2] ?? "")) {
  if (event.type === "decision") console.log(`${event.decision.step}: ${reasonInWords(event.decision, "en")}`);
  if (event.type === "claim") console.log(`checked: ${event.claim.text}`);
  if (event.type === "retracted") console.log(`withdrawn: ${event.text}`);
  if (event.type === "answer") console.log(event.answer.text);
}
await agent.close();
