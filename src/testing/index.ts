import "../node-version.js";

export type { Reasoners } from "../tools/models/two-ways.js";
export type { ContractTest } from "./contract.js";
export { inMemoryDocuments } from "./documents.js";
export { documentsContract, type OpenDocuments } from "./documents-contract.js";
export { embeddingsContract } from "./embeddings-contract.js";
export { fakeChecker, fakeGrader, fakeTools } from "./fakes.js";
export { inMemoryKnowledge } from "./knowledge.js";
export { knowledgeContract, type OpenKnowledge } from "./knowledge-contract.js";
export { fakePassage } from "./passage.js";
export { reasonersContract } from "./reasoners-contract.js";
export { rerankerContract } from "./reranker-contract.js";
export { runsContract } from "./runs-contract.js";
export { type DocumentsAndFacts, storeContract } from "./store-contract.js";
export { type OpenThreads, threadsContract } from "./threads-contract.js";
export { webSearchContract } from "./web-search-contract.js";
