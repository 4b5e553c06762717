import type { Reasoners } from "../fallback.js";
import { localChecker } from "./checker.js";
import { localGenerator } from "./generator.js";
import { localGrader } from "./grader.js";
import { type LocalRewriterOptions, localRewriter } from "./rewriter.js";

/** The reasoners that need no model and no network. They never throw and spend no calls. */
export function localReasoners(options: LocalRewriterOptions = {}): Reasoners {
  return {
    grader: localGrader(),
    rewriter: localRewriter(options),
    generator: localGenerator(),
    checker: localChecker(),
  };
}
