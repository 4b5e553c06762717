import type { Embeddings } from "../../embeddings/port.js";
import type { Reasoners } from "../fallback.js";
import { localChecker } from "./checker.js";
import { localGenerator } from "./generator.js";
import { localGrader } from "./grader.js";
import { type LocalRewriterOptions, localRewriter } from "./rewriter.js";

export interface LocalReasonersOptions extends LocalRewriterOptions {
  /** Lets the grader look at meaning beside words. Default: words alone. */
  embeddings?: Embeddings;
}

/** The reasoners that need no model, and no network without embeddings. They spend no calls and throw only when aborted. */
export function localReasoners(options: LocalReasonersOptions = {}): Reasoners {
  return {
    grader: localGrader(options),
    rewriter: localRewriter(options),
    generator: localGenerator(),
    checker: localChecker(),
  };
}
