import "../node-version.js";

/** The graph, to be built upon: what `emend/graph` exports. */
export { checkAnswer } from "../nodes/check-answer.js";
export { clarify } from "../nodes/clarify.js";
export { generate } from "../nodes/generate.js";
export { grade } from "../nodes/grade.js";
export { queryGraph } from "../nodes/query-graph.js";
export { readPages } from "../nodes/read-pages.js";
export { respond } from "../nodes/respond.js";
export { retrieve } from "../nodes/retrieve.js";
export { rewriteQuery } from "../nodes/rewrite-query.js";
export { searchWeb } from "../nodes/search-web.js";
export { understand } from "../nodes/understand.js";
export { asEvidence } from "../reading/evidence.js";
export type { Node, Run } from "../state/node.js";
export { type GraphInput, type GraphOutput, State, type StateWith } from "../state/state.js";
export { type AnswerGraph, buildGraph, type GraphOptions, type NodeName, type OpenGraph } from "./build.js";
export type { Edges, NodeOf, Source } from "./extend.js";
export * from "./routes.js";
