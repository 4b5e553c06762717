import { strips } from "../text/strips.js";
import type { Usage } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence } from "../types/evidence.js";
import type { Language } from "../types/language.js";

/** A question with its evidence. */
export interface Sample {
  language: Language;
  question: string;
  followUp: string;
  evidence: Evidence[];
}

/** A call that records usage and faults. */
export function meter(given: Partial<Pick<Call, "signal" | "modelSignal" | "calls">> = {}) {
  const spent: Usage[] = [];
  const faults: Error[] = [];
  const call: Call = {
    signal: given.signal ?? new AbortController().signal,
    ...(given.modelSignal && { modelSignal: given.modelSignal }),
    calls: given.calls ?? 4,
    spent: (usage) => spent.push(usage),
    fault: (error) => faults.push(error),
  };
  return { call, spent, faults };
}

/** Freezes a value deeply, so that a part that modifies its input throws. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

/** Evidence after grading, all of it relevant. */
export function gradedEvidence(id: string, text: string, language: Language, relevance = 0.9): Evidence {
  return {
    id,
    source: "document",
    title: id,
    uri: `${id}.md`,
    section: "",
    text,
    language,
    score: 1,
    relevance,
    strips: strips(text).map((span) => ({ ...span, relevance })),
    retrievedAt: "2026-01-05T09:00:00.000Z",
    reviewedAt: "",
  };
}

export const ENGLISH: Sample & { language: "en" } = {
  language: "en",
  question: "How many days of annual leave do employees of Harbor get?",
  followUp: "And when does it expire?",
  evidence: [
    gradedEvidence("leave", "Employees of Harbor get 25 days of annual leave. Unused days expire on 31 March.", "en"),
    gradedEvidence("office", "The office opens at eight. Visitors sign in at the front desk.", "en"),
  ],
};

export const CHINESE: Sample & { language: "zh" } = {
  language: "zh",
  question: "海港公司的员工每年有多少天年假？",
  followUp: "它什么时候过期？",
  evidence: [
    gradedEvidence("休假", "海港公司的员工每年有25天年假。未用的年假在3月31日过期。", "zh"),
    gradedEvidence("办公", "办公室八点开门。访客在前台登记。", "zh"),
  ],
};
