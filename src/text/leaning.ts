import { simplified } from "./simplified.js";

/** Whether a sentence begins with a word for what the sentence before it named, and says little without that one. */
export const leans = (sentence: string) => LEANS.test(simplified(sentence.slice(0, 40)));

const LEANS =
  /^["“*_]*(?:(?:it|its|they|their|these|those|this|that|he|his|she|her|such|both|the (?:former|latter|same)|here|there)\b(?! (?:is|are|was|were) no\b)|它|其|他|她|该|此|这|那|两者|前者|后者)/i;
