import type { Encoder } from "../../encoder/port.js";
import type { Reasoners } from "../fallback.js";
import { localChecker } from "./checker.js";
import { localGenerator } from "./generator.js";
import { localGrader } from "./grader.js";
import { eitherReader, meaningReader, wordReader } from "./reading.js";
import { type LocalRewriterOptions, localRewriter } from "./rewriter.js";

export interface LocalReasonersOptions extends LocalRewriterOptions {
  /** Judges by meaning. Default: words alone. */
  encoder?: Encoder;
}

/** The reasoners that need no chat model and no network. They spend no calls and throw only when aborted. */
export function localReasoners({ encoder, ...options }: LocalReasonersOptions = {}): Reasoners {
  const reader = encoder ? eitherReader(meaningReader(encoder), wordReader()) : wordReader();
  return {
    grader: localGrader(reader),
    rewriter: localRewriter(options),
    generator: localGenerator(reader),
    checker: localChecker(),
  };
}
