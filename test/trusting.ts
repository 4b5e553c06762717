import type { ModelReasoners } from "../src/prompting/model-reasoners.js";
import { twoWays } from "../src/prompting/two-ways.js";
import { localReasoners } from "../src/reading/local-reasoners.js";
import type { Reasoners } from "../src/types/reasoners.js";

/** Reasoners with a chat model that may do everything, over these that quote. */
export const trusting = (model: ModelReasoners, local: Reasoners = localReasoners()): Reasoners =>
  twoWays(model, local, { byWords: localReasoners().grader }, async () => ({ answers: true, checks: true }));
