import type { Aliases } from "../../text/aliases.js";
import type { Encoder } from "../encoder/port.js";
import { generatePartByPart, gradePartByPart } from "./compound.js";
import type { Reasoners } from "./fallback.js";
import { localGenerator } from "./local-generator.js";
import { localGrader } from "./local-grader.js";
import type { Rewriter } from "./port.js";
import { eitherReader, meaningReader, wordReader } from "./reading.js";
import { standalone } from "./standalone.js";

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
  };
}

/**
 * Makes follow-ups stand alone. It does not rephrase questions: a second query of the content words alone gave a right
 * answer to only 1 of 51 questions that needed one (160 questions over four sets) and doubled their time.
 */
export const localRewriter = (): Rewriter => ({
  standalone: async (question, history) => standalone(question, history),
  rewrite: async ({ question }) => question,
});
