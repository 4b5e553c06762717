import { checkClaims } from "./checking/cascade.js";
import { sourcesAsEvidence } from "./checking/verify.js";
import { attacher } from "./citing/attach.js";
import { claimsOf } from "./citing/claims.js";
import { aSignal, check, exactly, type OptionsOf } from "./options.js";
import { toolOptions } from "./state/tools.js";
import { languageOf } from "./text/language.js";
import type { Encoder } from "./tools/encoder/port.js";
import type { CheckedClaim } from "./types/answer.js";
import type { Span } from "./types/evidence.js";
import type { Checker } from "./types/reasoners.js";

/** All numbers are calibrated probabilities, 0 to 1, with 0.5 as the decision threshold. */
export interface PassagesJudgement {
  /** Probability that some passage answers; 0 without passages. */
  answerable: number;
  /** Per passage: probability that it is about the question. */
  relevance: number[];
  /** Per passage: probability that it answers. */
  answerability: number[];
  /** Per passage: the most probable answer span, in UTF-16 units; null if the passage has no words. */
  spans: ((Span & { passage: number; text: string; probability: number }) | null)[];
}

/** The three probabilities sum to 1. */
export interface ClaimJudgement {
  verdict: CheckedClaim["verdict"];
  supported: number;
  contradicted: number;
  neither: number;
  /** The source's words nearest to the claim, or to its least probable sentence; empty if none are near. */
  quote: string;
}

/** Of a chat model, for one claim: a call, and one to repair its reply. */
const MAX_CALLS = 2;

interface Options {
  encoder: Encoder;
  /** A chat model that decides on what exact code leaves open. Default: the encoder decides. */
  checker?: Checker | undefined;
  signal?: AbortSignal | undefined;
}

const Given = exactly({
  encoder: toolOptions.encoder.nonoptional(),
  checker: toolOptions.checker,
  signal: aSignal.optional(),
} satisfies OptionsOf<Options>);

/**
 * Ranks and grades passages for a question by the encoder alone: no chat model, no store.
 * @throws as the encoder does.
 */
export async function judgePassages(
  question: string,
  passages: readonly string[],
  options: Options,
): Promise<PassagesJudgement> {
  check(Given, options);
  const { encoder, signal } = options;
  const judged = await encoder.judge(
    passages.map((passage) => ({ text: question, as: "question", passage })),
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
 * Checks a claim against sources of any length as `verify` does: exact code first, then a chat model, if there is one, or the
 * encoder on the windows of the sources that could support it. A claim of several sentences is as probable as its least probable
 * sentence. Unlike `verify`, it counts questions and lines that introduce a list.
 * @throws as the encoder does.
 */
export async function judgeClaim(claim: string, sources: readonly string[], options: Options): Promise<ClaimJudgement> {
  check(Given, options);
  const { encoder, checker, signal = new AbortController().signal } = options;
  const stated = claimsOf(claim).map(({ text }) => text);
  const evidence = sources.map((text, i) => sourcesAsEvidence({ text }, i));
  const find = attacher(evidence, { always: true });
  const claims = (stated.length > 0 ? stated : [claim]).map((text) => ({ text, citations: find(text) }));
  const fault = (error: Error) => {
    throw error;
  };
  const call = { signal, calls: MAX_CALLS, spent: () => {}, fault };
  const checked = await checkClaims(
    { question: "", language: languageOf(claim), evidence, claims, find },
    { encoder, ...(checker && { checker }) },
    call,
  );
  const each = checked.claims.map(({ verdict, probability = 0, contradicted, quotes }) => {
    const denied = contradicted ?? (verdict === "contradicted" ? 1 - probability : 0);
    return { verdict, supported: probability, contradicted: denied, quote: quotes[0]?.quote ?? "" };
  });
  const weakest = each.reduce((a, b) => (b.supported < a.supported ? b : a));
  return { ...weakest, neither: Math.max(0, 1 - weakest.supported - weakest.contradicted) };
}
