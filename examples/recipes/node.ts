// emend as a node of another graph: node node.ts "When does the Lisbon office open?"
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { agentNode, createAgent } from "emend";

const agent = createAgent();
const graph = new StateGraph(MessagesAnnotation)
  .addNode("emend", agentNode(agent, { passages: 4 }))
  .addEdge(START, "emend")
  .addEdge("emend", END)
  .compile();

const { messages } = await graph.invoke({ messages: [{ role: "user", content: process.argv[2] ?? "" }] });
console.log(messages.at(-1)?.text);
await agent.close();
