import type { Documents } from "./documents/port.js";
import type { Checker, Generator, Grader, Rewriter } from "./reasoner/port.js";

/** Everything the graph works with. Nodes know these ports and no adapter. */
export interface Tools {
  documents: Documents;
  grader: Grader;
  rewriter: Rewriter;
  generator: Generator;
  checker: Checker;
}
