import "../node-version.js";

export type { Reasoners } from "../types/reasoners.js";
export type { ContractTest } from "./contract.js";
export { inMemoryDocuments } from "./documents.js";
export { documentsContract } from "./documents-contract.js";
export type { OpenDocuments } from "./documents-sample.js";
export { embeddingsContract } from "./embeddings-contract.js";
export { fakeChecker, fakeGrader, fakeTools } from "./fakes.js";
export { inMemoryKnowledge } from "./knowledge.js";
export { knowledgeContract } from "./knowledge-contract.js";
export type { OpenKnowledge } from "./knowledge-team.js";
export { fakePassage } from "./passage.js";
export { reasonersContract } from "./reasoners-contract.js";
export { rerankerContract } from "./reranker-contract.js";
export { runsContract } from "./runs-contract.js";
export { type DocumentsWithTables, tablesContract } from "./tables-contract.js";
export { type OpenThreads, threadsContract } from "./threads-contract.js";
export { webSearchContract } from "./web-search-contract.js";
