import { THRESHOLDS } from "./checking/thresholds.js";
import { sentences } from "./text/sentences.js";
import { coverage } from "./text/similarity.js";
import { contentTerms } from "./text/tokens.js";
import type { Encoder, Judged } from "./tools/encoder/port.js";
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
  /** The sentence of the best source that is nearest to the claim; empty where no source has words. */
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
 * Holds a claim against sources of any length by the encoder alone.
 * @throws as the encoder does.
 */
export async function judgeClaim(
  claim: string,
  sources: readonly string[],
  { encoder, signal }: Options,
): Promise<ClaimJudgement> {
  const judged = await encoder.judge(
    sources.map((passage) => ({ text: claim, passage })),
    { signal },
  );
  const certainty = (one: Judged) => Math.max(one.supported, one.contradicted);
  const best = judged.reduce((a, one, i) => (certainty(one) > certainty(judged[a] ?? one) ? i : a), 0);
  const { supported, contradicted, neither } = judged[best] ?? { supported: 0, contradicted: 0, neither: 1 };
  return {
    verdict: verdictOf(supported, contradicted),
    supported,
    contradicted,
    neither,
    quote: nearestSentence(claim, sources[best] ?? ""),
  };
}

/** "supported" and "likely" are told apart by how sure the head is, as in `verify`. */
function verdictOf(supported: number, contradicted: number): ClaimJudgement["verdict"] {
  if (supported >= THRESHOLDS.supported) return "supported";
  if (supported >= THRESHOLDS.likely) return "likely";
  return contradicted >= THRESHOLDS.contradicted ? "contradicted" : "unsupported";
}

function nearestSentence(claim: string, source: string): string {
  const wanted = contentTerms(claim);
  const texts = sentences(source).map(({ start, end }) => source.slice(start, end));
  const shares = texts.map((text) => coverage(wanted, new Set(contentTerms(text))));
  return texts[shares.indexOf(Math.max(...shares))] ?? "";
}
