import { inMemoryKnowledge } from "../../../src/testing/knowledge.js";
import { knowledgeContract } from "../../contract/knowledge.js";

knowledgeContract("Knowledge in memory", async () => {
  const graph = inMemoryKnowledge();
  return () => graph;
});
