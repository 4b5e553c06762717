import "./node-version.js";
import type { removeDocuments as remove } from "./ingest/facts/keep-facts.js";
import type { ingestFiles } from "./ingest/ingest.js";
import type { loadDocuments } from "./ingest/load.js";
import type { ingestDocuments as store } from "./sync/ingest-documents.js";
import type { readPageInOwnProcess } from "./tools/web/read-page.js";

export { type Agent, type AgentOptions, type AskOptions, createAgent } from "./agent.js";
export { reasonInWords } from "./answer/messages/index.js";
export { type CitedText, cite } from "./checking/cite.js";
export {
  type TextSource,
  type Verification,
  type VerifiedClaim,
  type VerifyOptions,
  verify,
} from "./checking/verify.js";
export { type Attached, attach, type Citable } from "./citing/attach.js";
export { claimsOf, type TextClaim } from "./citing/claims.js";
export { sanitizeMarkdown } from "./citing/sanitize-markdown.js";
export type { Settings } from "./config.js";
export {
  BudgetSpentError,
  CypherError,
  EmptyStoreError,
  EndpointError,
  FetchRefusedError,
  MalformedReplyError,
  PageUnavailableError,
  ReadingStoppedError,
  StoreUnavailableError,
  UsageError,
} from "./errors.js";
export { createGraph } from "./graph/build.js";
export type { Scope, ScopeOf, User } from "./graph/scope.js";
export { chunk } from "./ingest/chunk.js";
export type { IngestOptions, IngestSummary } from "./ingest/ingest.js";
export type { LangchainDocument, Retriever, VectorStore } from "./ingest/langchain.js";
export type { Stamp } from "./ingest/stamp.js";
export { type ClaimJudgement, judgeClaim, judgePassages, type PassagesJudgement } from "./judge.js";
export { agentNode, agentRetriever, agentTool, asEmbeddings } from "./langchain.js";
export type { Budget, Context, ContextInput } from "./state/context.js";
export type { State } from "./state/state.js";
export type { Tools } from "./state/tools.js";
export type { DocumentQuery, Documents, Restatement, ScoredPassage } from "./tools/documents/port.js";
export { type SqlDocumentsOptions, sqlDocuments } from "./tools/documents/sql.js";
export type { LangchainEmbeddings } from "./tools/encoder/embeddings.js";
export { type OnnxEncoderOptions, onnxEncoder } from "./tools/encoder/onnx.js";
export type { Embeddings, Encoder, Judged, Pair } from "./tools/encoder/port.js";
export type { ModelSettings } from "./tools/endpoint/endpoint.js";
export type {
  CypherTask,
  CypherWriter,
  Entity,
  Fact,
  GraphSchema,
  KnowledgeGraph,
  QueryResult,
  Triple,
  TripleSource,
} from "./tools/knowledge/port.js";
export type { Neo4jSettings } from "./tools/neo4j/settings.js";
export { sqlPasses } from "./tools/passes/sql.js";
export type { Reranker } from "./tools/reranker/port.js";
export type { DocumentCompressor } from "./tools/reranker/rerankers.js";
export type { RunFilter, RunRecorder, Runs } from "./tools/runs/port.js";
export { type RunsOptions, sqlRuns } from "./tools/runs/sql.js";
export type { SignInSettings } from "./tools/sign-in/settings.js";
export { openDatabase } from "./tools/store/open.js";
export type { Database, OpenOptions } from "./tools/store/port.js";
export type { Tables } from "./tools/tables/port.js";
export { sqlTables } from "./tools/tables/sql.js";
export type { Threads, ThreadsOptions } from "./tools/threads/port.js";
export { sqlThreads } from "./tools/threads/sql.js";
export type { PageReader, WebPage, WebQuery, WebResult, WebSearch } from "./tools/web/port.js";
export type { Page, ReadOptions } from "./tools/web/read-page.js";
export type { SearchTool } from "./tools/web/search-langchain.js";
export type { EngineSettings, WebSettings } from "./tools/web/settings.js";
export type {
  Answer,
  CheckedClaim,
  Citation,
  Citing,
  Claim,
  Confidence,
  Draft,
  DraftClaim,
  Intent,
  Piece,
  Query,
  QueryReason,
  Reference,
  Report,
  Segment,
  Spend,
  StopReason,
  Usage,
} from "./types/answer.js";
export type { Call } from "./types/call.js";
export type { ClaimReason } from "./types/claim-reason.js";
export type { Conversation } from "./types/conversation.js";
export type { AgentEvent, Decision, Reason } from "./types/events.js";
export type { Evidence, Passage, SourceDocument, Span, Strip, Verdict } from "./types/evidence.js";
export type { Fault } from "./types/fault.js";
export type { Condition, Filter } from "./types/filter.js";
export type { Language } from "./types/language.js";
export type {
  Checker,
  Generator,
  Grade,
  Grader,
  Judgement,
  Rewriter,
  Task,
  Turn,
} from "./types/reasoners.js";
export type { Column, Computed, PackedTable, Table, TableHead } from "./types/table.js";

// The parsers behind these are loaded by the first call: most programs that answer questions read no files or pages.

/** Updates a store from files, folders and globs, as `emend ingest` does. */
export const ingest: typeof ingestFiles = async (...given) =>
  (await import("./ingest/ingest.js")).ingestFiles(...given);

/** Stores documents from LangChain loaders or splitters, or keeps the store in step with a loader or a connector. */
export const ingestDocuments: typeof store = async (...given) =>
  (await import("./sync/ingest-documents.js")).ingestDocuments(...given);

/** Removes documents with everything that can still be answered from them, from any stores. */
export const removeDocuments: typeof remove = async (...given) =>
  (await import("./ingest/facts/keep-facts.js")).removeDocuments(...given);

/** Reads whole documents from files, folders and globs, without storing them. */
export const loadFiles: typeof loadDocuments = async (...given) =>
  (await import("./ingest/load.js")).loadDocuments(...given);

/** Reads the main text of a web page. */
export const readPage: typeof readPageInOwnProcess = async (...given) =>
  (await import("./tools/web/read-page.js")).readPageInOwnProcess(...given);
