import { numberSources } from "../answer/cite.js";
import { attacher } from "../citing/attach.js";
import type { TextSource } from "../citing/cite.js";
import { claimsOf, type TextClaim } from "../citing/claims.js";
import { addUsage } from "../graph/budget.js";
import { languageOf } from "../text/language.js";
import { localEntailment } from "../tools/entailment/local.js";
import type { Call } from "../tools/reasoner/port.js";
import { type CheckedClaim, type Citation, holds, type Report, type Usage } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";
import { type CheckingTools, checkClaims } from "./cascade.js";
import { decisive } from "./decisive.js";
import { reportOn } from "./report.js";

export interface VerifyOptions {
  /** What the text answers; helps a checker to read it. */
  question?: string;
  /**
   * What claims are checked with beside code. Without a checker the score decides what is in doubt, half and half; with
   * one, what the score is sure of. Default: the score that needs no model.
   */
  tools?: CheckingTools;
  /** Model calls, at most; default 10. What is in doubt after them is unsupported. */
  calls?: number;
  signal?: AbortSignal;
}

export interface Verification {
  /** Whether everything that the text states is supported, nothing only likely; true also for a text that states nothing. */
  supported: boolean;
  /** What the text states, in order: where it stands in the text, what was found, and the words that carry it. */
  claims: VerifiedClaim[];
  /** The sources that are cited, numbered from 1 in order of appearance. */
  references: { number: number; id: string; title: string; uri: string }[];
  report: Report;
  spend: Usage;
  /** What failed on the way, in words. */
  faults: string[];
}

export interface VerifiedClaim
  extends Omit<TextClaim, "markers">,
    Pick<CheckedClaim, "verdict" | "reason" | "settledBy" | "entailment"> {
  citations: Citation[];
}

/**
 * Checks any text, Markdown or plain, English or Chinese, against any sources: the words of the sources that carry each
 * sentence, list item and table row are looked for, and the sentence is held against them by the same cascade that checks
 * answers. Questions, headings, code, and lines that only lead to a list state nothing and are passed over.
 * @throws the signal's reason, once it is aborted.
 */
export async function verify(
  text: string,
  sources: readonly TextSource[],
  { question = "", tools, calls = 10, signal }: VerifyOptions = {},
): Promise<Verification> {
  const evidence = sources.map(asEvidence);
  const find = attacher(evidence, { always: true });
  const stated = claimsOf(text).filter(({ kind }) => kind !== "question" && kind !== "lead");
  const claims = stated.map(({ text: words }) => ({ text: words, citations: find(words) }));
  const { call, spent, faults } = counting(calls, signal);
  const task = { question, language: languageOf(text), evidence, claims, anyText: true };
  const checked = await checkClaims(task, ready(tools), call);
  signal?.throwIfAborted();
  const { claims: cited, references } = numberSources(checked.claims, evidence);
  return {
    supported: checked.claims.every(({ verdict }) => verdict === "supported"),
    claims: stated.map(({ markers: _, ...claim }, i) => ({
      ...claim,
      ...judged(checked.claims[i]),
      citations: cited[i]?.citations ?? [],
    })),
    references: references.map(({ number: n, evidenceId: id, title, uri }) => ({ number: n, id, title, uri })),
    report: reportOn(checked, { missing: "", contextSufficiency: sufficiencyOf(checked.claims) }),
    spend: spent(),
    faults,
  };
}

const judged = ({ verdict, reason, settledBy, entailment }: CheckedClaim = NOT_CHECKED) => ({
  verdict,
  reason,
  ...(settledBy && { settledBy }),
  ...(entailment !== undefined && { entailment }),
});

const NOT_CHECKED: CheckedClaim = { text: "", verdict: "unsupported", reason: "", quotes: [] };

function sufficiencyOf(claims: readonly CheckedClaim[]): Report["contextSufficiency"] {
  const held = claims.filter(holds).length;
  if (held === claims.length) return "sufficient";
  return held > 0 ? "partial" : "insufficient";
}

const asEvidence = ({ id, title = "", uri = "", text }: TextSource, i: number): Evidence => ({
  id: id ?? `${i + 1}`,
  source: "document",
  title,
  uri,
  section: "",
  text,
  language: languageOf(text),
  score: 0,
  relevance: 0,
  strips: [],
  retrievedAt: "",
  reviewedAt: "",
});

const ready = (tools: CheckingTools = { entailment: localEntailment() }): CheckingTools =>
  tools.entailment && !tools.checker ? { ...tools, entailment: decisive(tools.entailment) } : tools;

function counting(limit: number, signal = new AbortController().signal) {
  let used: Usage = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  const faults: string[] = [];
  const call: Call = {
    signal,
    get calls() {
      return Math.max(0, limit - used.calls);
    },
    spent: (usage) => {
      used = addUsage(used, usage);
    },
    fault: (error) => faults.push(error.message),
  };
  return { call, faults, spent: () => used };
}
