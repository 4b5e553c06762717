import { checkClaims } from "./checking/cascade.js";
import { asEvidence } from "./checking/verify.js";
import { attacher } from "./citing/attach.js";
import { claimsOf } from "./citing/claims.js";
import { languageOf } from "./language/language.js";
import type { Encoder } from "./tools/encoder/port.js";
import type { CheckedClaim } from "./types/answer.js";
import type { Span } from "./types/evidence.js";

/** Every number in it is a calibrated probability, 0 to 1, where 0.5 is the decision. */
export interface PassagesJudgement {
  /** That some passage answers; 0 without passages. */
  answerable: number;
  /** For each passage, that it is about what is asked. */
  relevance: number[];
  /** For each passage, that it answers. */
  answerability: number[];
  /** For each passage, where its answer would stand, in UTF-16 units; null in a passage without words. */
  spans: ((Span & { passage: number; text: string; probability: number }) | null)[];
}

/** The three probabilities sum to 1. */
export interface ClaimJudgement {
  verdict: CheckedClaim["verdict"];
  supported: number;
  contradicted: number;
  neither: number;
  /** The words of a source that come nearest to the claim, or to the least probable sentence of it; empty where none do. */
  quote: string;
}

interface Options {
  encoder: Encoder;
  signal?: AbortSignal | undefined;
}

/**
 * Ranks and grades passages for a question by the encoder alone: no chat model, no store.
 * @throws as the encoder does.
 */
export async function judgePassages(
  question: string,
  passages: readonly string[],
  { encoder, signal }: Options,
): Promise<PassagesJudgement> {
  const judged = await encoder.judge(
    passages.map((passage) => ({ text: question, passage })),
    { signal },
  );
  const answerability = judged.map((one) => one.answerability);
  return {
    answerable: Math.max(0, ...answerability),
    relevance: judged.map((one) => one.relevance),
    answerability,
    spans: judged.map(({ span }, passage) =>
      span ? { passage, ...span, text: (passages[passage] ?? "").slice(span.start, span.end) } : null,
    ),
  };
}

/**
 * Holds a claim against sources of any length as `verify` does, without a chat model: exact code first, then the encoder in
 * the windows of the sources that could carry it. A claim of several sentences is as probable as the least probable of them,
 * questions and lines that lead to a list counted too, which `verify` passes over.
 * @throws as the encoder does.
 */
export async function judgeClaim(
  claim: string,
  sources: readonly string[],
  { encoder, signal = new AbortController().signal }: Options,
): Promise<ClaimJudgement> {
  const stated = claimsOf(claim).map(({ text }) => text);
  const evidence = sources.map((text, i) => asEvidence({ text }, i));
  const find = attacher(evidence, { always: true });
  const claims = (stated.length > 0 ? stated : [claim]).map((text) => ({ text, citations: find(text) }));
  const fault = (error: Error) => {
    throw error;
  };
  const call = { signal, calls: 0, spent: () => {}, fault };
  const checked = await checkClaims(
    { question: "", language: languageOf(claim), evidence, claims, find },
    { encoder },
    call,
  );
  const each = checked.claims.map(({ verdict, probability = 0, contradicted, quotes }) => {
    const denied = contradicted ?? (verdict === "contradicted" ? 1 - probability : 0);
    return { verdict, supported: probability, contradicted: denied, quote: quotes[0]?.quote ?? "" };
  });
  const weakest = each.reduce((a, b) => (b.supported < a.supported ? b : a));
  return { ...weakest, neither: Math.max(0, 1 - weakest.supported - weakest.contradicted) };
}
