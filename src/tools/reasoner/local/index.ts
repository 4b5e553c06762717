import type { Aliases } from "../../../language/aliases.js";
import { ownLanguage } from "../../../language/language.js";
import type { Encoder } from "../../encoder/port.js";
import type { Reasoners } from "../fallback.js";
import type { Checker } from "../port.js";
import { generatePartByPart, gradePartByPart } from "./compound.js";
import { localGenerator } from "./generator.js";
import { localGrader } from "./grader.js";
import { eitherReader, meaningReader, wordReader } from "./reading.js";
import { localRewriter } from "./rewriter.js";

/**
 * The reasoners that need no chat model and no network. They spend no calls and throw only when aborted.
 * @param options.encoder judges by meaning. Default: words alone.
 * @param options.aliases names that count as the same. Default: none.
 */
export function localReasoners({ encoder, aliases }: { encoder?: Encoder; aliases?: Aliases } = {}): Reasoners {
  const byWords = wordReader(aliases);
  const reader = encoder ? eitherReader(meaningReader(encoder, aliases), byWords) : byWords;
  const grader = localGrader(reader, aliases);
  return {
    grader: gradePartByPart(grader),
    rewriter: localRewriter(),
    generator: generatePartByPart(localGenerator(reader, aliases), grader),
    checker: localChecker(),
  };
}

/** Finds every claim unsupported that the deterministic checks left in doubt: no model is there to decide for it. */
export function localChecker(): Checker {
  return {
    check: async ({ claims, language }) =>
      claims.map(() => ({ verdict: "unsupported" as const, reason: REASON[ownLanguage(language)] })),
  };
}

const REASON = {
  en: "The quotes don't say this in these words, and there is no model to judge other wordings.",
  zh: "引文没有这样写，也没有模型来判断是不是同一个意思。",
};
