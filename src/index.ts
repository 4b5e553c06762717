export { type Agent, type AgentOptions, type AskOptions, createAgent } from "./agent.js";
export { loadSettings, type ModelSettings, type Settings } from "./config.js";
export {
  BudgetSpentError,
  EmptyStoreError,
  EndpointError,
  MalformedReplyError,
  StoreUnavailableError,
  UsageError,
} from "./errors.js";
export { createGraph } from "./graph/build.js";
export type { Budget, Context, ContextInput } from "./graph/context.js";
export type { State } from "./graph/state.js";
export type { DocumentQuery, Documents, ScoredPassage } from "./tools/documents/port.js";
export type { Embeddings } from "./tools/embeddings/port.js";
export { type Page, type ReadOptions, readPage } from "./tools/page-reader/read-page.js";
export type {
  Call,
  Checker,
  Generator,
  Grade,
  Grader,
  Judgement,
  Rewriter,
  Task,
  Turn,
} from "./tools/reasoner/port.js";
export type { Tools } from "./tools/tools.js";
export type {
  Answer,
  CheckedClaim,
  Citation,
  Claim,
  Confidence,
  Draft,
  DraftClaim,
  Intent,
  Query,
  Reference,
  Report,
  Spend,
  StopReason,
  Usage,
} from "./types/answer.js";
export type { AgentEvent, Decision } from "./types/events.js";
export type { Evidence, Language, Passage, Span, Strip, Verdict } from "./types/evidence.js";
