import { Context } from "../../src/state/context.js";
import type { Run } from "../../src/state/node.js";
import type { State } from "../../src/state/state.js";
import { languageOf } from "../../src/text/language.js";
import { NOTHING_SPENT } from "../../src/types/answer.js";
import type { Call } from "../../src/types/call.js";
import type { Evidence } from "../../src/types/evidence.js";

/** The state of a graph that has understood a question and found this evidence, and has done nothing else. */
export const stateWith = (question: string, evidence: Evidence[]): State => ({
  messages: [],
  question,
  askedIn: "",
  answering: "",
  said: "",
  clarification: "",
  understood: { question, language: languageOf(question), intent: "other", passages: evidence.length },
  queries: [],
  lookUps: [],
  findings: [],
  evidence,
  tables: [],
  excluded: [],
  webQueries: [],
  webResults: [],
  attempts: [],
  streamed: [],
  decisions: [],
  spend: NOTHING_SPENT,
});

/** What a node gets if there are no listeners and no person can be asked. */
export const runWith = (call: Call, context: Context = DEFAULTS): Run => ({
  context,
  agent: "emend",
  call,
  emit: () => {},
  say: () => {},
  scope: "",
  filter: [],
  thread: "",
  isForked: false,
  ask: () => undefined,
});

export const DEFAULTS = Context.parse({});
