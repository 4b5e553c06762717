// Names that the recipes of docs/extending.md expect from the surrounding program.
import type { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import type { Agent, agentNode as agentNodeOf, Documents, Embeddings, Grader, WebSearch } from "emend";
import type { NodeOf } from "emend/graph";

declare global {
  const agent: Agent;
  const agentNode: typeof agentNodeOf;
  const builder: StateGraph<(typeof MessagesAnnotation)["spec"]>;
  type Index = { name: string };
  const index: Index;
  const newestFirst: NodeOf;
  const ourSearch: WebSearch;
  function emptyIndex(): Promise<Index>;
  function ourDocuments(index: Index, embeddings?: Embeddings): Documents;
  function ordersNamedIn(question: string): Promise<{ id: string; place: string; shipped: string }[]>;
  function stricter(grader: Grader): Grader;
}
