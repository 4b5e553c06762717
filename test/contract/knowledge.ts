import { type ContractTest, knowledgeContract, type OpenKnowledge } from "../../src/testing/index.js";
import { knowledgeTests } from "../../src/testing/knowledge-contract.js";
import { LOOKING_UP } from "./knowledge-looking-up.js";
import { NAMING } from "./knowledge-naming.js";
import { SHARING, WRITING } from "./knowledge-writing.js";

/** The promises of the port, and what emend's own graphs do beyond them. */
export const ownKnowledgeContract = (newGraph: () => Promise<OpenKnowledge>): ContractTest[] => [
  ...knowledgeContract(newGraph),
  ...knowledgeTests(newGraph, { ...LOOKING_UP, ...NAMING, ...WRITING, ...SHARING }),
];
