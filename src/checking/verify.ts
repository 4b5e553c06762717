import { z } from "zod";
import { numberSources } from "../answer/compose.js";
import { attaching } from "../citing/attach.js";
import { claimsOf, isStatement, type TextClaim } from "../citing/claims.js";
import { faultFrom } from "../faults.js";
import { aCount, aSignal, check, exactly, type OptionsOf } from "../options.js";
import { toolOptions } from "../state/tools.js";
import { visible } from "../text/decode.js";
import { languageOf } from "../text/language.js";
import { overlap } from "../text/spans.js";
import { onnxEncoder } from "../tools/encoder/onnx.js";
import type { Encoder } from "../tools/encoder/port.js";
import {
  addUsage,
  type CheckedClaim,
  type Citation,
  type DraftClaim,
  holds,
  type Report,
  type Usage,
} from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence, Span } from "../types/evidence.js";
import { mapWithTurns, withPauses } from "../waiting.js";
import { type CheckingTools, checkClaims, reportOn } from "./cascade.js";
import { longestClaim } from "./stages.js";

/** A source that a text may be cited to or checked against. */
export interface TextSource {
  /** Default: its position among the sources, from "1". */
  id?: string | undefined;
  title?: string | undefined;
  /** A path or an address. */
  uri?: string | undefined;
  text: string;
}

export interface VerifyOptions {
  /** The question that the text answers, as context for a chat model. */
  question?: string;
  /** The tools besides code. Default: emend's encoder. With `{}`, the words shared with the sources decide. */
  tools?: CheckingTools;
  /** The most calls to a chat model. Default: 10. */
  calls?: number;
  signal?: AbortSignal;
}

const Source = exactly({
  id: z.string().optional(),
  title: z.string().optional(),
  uri: z.string().optional(),
  text: z.string(),
} satisfies OptionsOf<TextSource>);

const Given = exactly({
  text: z.string(),
  sources: z.array(Source),
  question: z.string().optional(),
  tools: exactly(toolOptions).partial().optional(),
  calls: aCount().optional(),
  signal: aSignal.optional(),
} satisfies OptionsOf<VerifyOptions & { text: string; sources: unknown }>);

export interface Verification {
  /** True if every claim is supported, and none only likely. Also true for a text that states nothing. */
  supported: boolean;
  /** The claims of the text, in order. */
  claims: VerifiedClaim[];
  /** The cited sources, numbered from 1 in order of appearance. */
  references: { number: number; id: string; title: string; uri: string }[];
  report: Report;
  spend: Usage;
  /** The messages of failures that did not stop the check. */
  faults: string[];
}

export interface VerifiedClaim
  extends Omit<TextClaim, "markers">,
    Pick<CheckedClaim, "verdict" | "reason" | "settledBy" | "probability"> {
  citations: Citation[];
  /** Words that the sources do not support, as spans of the checked text, in order; empty for a supported claim. */
  wrong: (Span & { text: string })[];
}

/**
 * Checks any text, Markdown or plain, English or Chinese, against any sources, by the cascade that checks answers. Each
 * sentence, list item and table row is compared with the parts of the sources that could support it, found by words and by
 * meaning. Questions, headings, code and lines that introduce a list are skipped. Costs at most 4 judgements a claim, 8
 * a short one, and 400 embedded windows in all.
 * @throws UsageError for an unknown option; the signal's reason, once it is aborted.
 */
export async function verify(
  text: string,
  sources: readonly TextSource[],
  options: VerifyOptions = {},
): Promise<Verification> {
  check(Given, { ...options, text, sources });
  const { question = "", tools, calls = 10, signal } = options;
  const evidence = sources.map(sourcesAsEvidence);
  const find = await withPauses(attaching(evidence, { always: true }), signal);
  const stated = claimsOf(text).filter(isStatement);
  const claims = await mapWithTurns(
    stated,
    ({ text: words }): DraftClaim => ({
      text: words,
      citations: words.length > longestClaim(words) ? [] : find(words),
    }),
    signal,
  );
  const { call, spent, faults } = counting(calls, signal);
  const language = languageOf(text);
  const task = { question, language, evidence, claims, find };
  const checked = await checkClaims(task, tools ?? { encoder: own() }, call);
  signal?.throwIfAborted();
  const { claims: cited, references } = numberSources(checked.claims, evidence);
  return {
    supported: checked.claims.every(({ verdict }) => verdict === "supported"),
    claims: stated.map(({ markers: _, ...claim }, i) => {
      const {
        verdict = "unsupported",
        reason = { code: "unchecked" },
        settledBy,
        probability,
        wrong = [],
      } = checked.claims[i] ?? {};
      const settled = { ...(settledBy && { settledBy }), ...(probability !== undefined && { probability }) };
      const citations = cited[i]?.citations ?? [];
      return { ...claim, verdict, reason, ...settled, citations, wrong: wrongIn(text, claim, wrong) };
    }),
    references: references.map(({ number: n, evidenceId: id, title, uri }) => ({ number: n, id, title, uri })),
    report: reportOn(checked, language, { missing: "", contextSufficiency: sufficiencyOf(checked.claims) }),
    spend: spent(),
    faults,
  };
}

const wrongIn = (text: string, claim: Omit<TextClaim, "markers">, spans: readonly Span[]): VerifiedClaim["wrong"] =>
  asWritten(visible(claim.text), spans, text.slice(claim.start, claim.end)).map((span) => {
    const [start, end] = [claim.start + span.start, claim.start + span.end];
    return { start, end, text: text.slice(start, end) };
  });

function sufficiencyOf(claims: readonly CheckedClaim[]): Report["contextSufficiency"] {
  const held = claims.filter(holds).length;
  if (held === claims.length) return "sufficient";
  return held > 0 ? "partial" : "insufficient";
}

/** @param i its index among the sources. */
export const sourcesAsEvidence = ({ id, title = "", uri = "", text }: TextSource, i: number): Evidence => ({
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

/** One encoder for all calls, since it is a process; it ends with the program. */
const own = (): Encoder => {
  opened ??= onnxEncoder();
  return opened;
};
let opened: Encoder | undefined;

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
    fault: (error) => faults.push(faultFrom(error, "").message),
  };
  return { call, faults, spent: () => used };
}

/**
 * Maps spans of a claim's plain words to the text that it was read from, which also has Markdown marks and markers.
 * Drops words that are not there, such as the heading above a table's row.
 */
export function asWritten(said: string, spans: readonly Span[], written: string): Span[] {
  const words: { said: Span; written: Span }[] = [];
  let next = 0;
  for (const { index, 0: word } of said.matchAll(WORD)) {
    const at = written.indexOf(word, next);
    if (at < 0) continue;
    next = at + word.length;
    words.push({ said: { start: index, end: index + word.length }, written: { start: at, end: next } });
  }
  return spans.flatMap((span) => {
    const own = words.filter((word) => overlap(word.said, span));
    const [first, last] = [own[0], own.at(-1)];
    return first && last ? [{ start: first.written.start, end: last.written.end }] : [];
  });
}

const WORD = /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+/gu;
