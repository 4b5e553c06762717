import { localReasoners } from "../src/tools/models/local-reasoners.js";
import type { ModelReasoners } from "../src/tools/models/model-reasoners.js";
import { type Reasoners, twoWays } from "../src/tools/models/two-ways.js";

/** Reasoners with a chat model that may do everything, over these that quote. */
export const trusting = (model: ModelReasoners, local: Reasoners = localReasoners()): Reasoners =>
  twoWays(model, local, { byWords: localReasoners().grader }, async () => ({ answers: true, checks: true }));
