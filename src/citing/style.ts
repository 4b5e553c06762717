import { z } from "zod";

/**
 * How an answer gets its citations. In every style code looks the quotes up in the sources, and claims are checked against
 * them.
 * - `inline`, the default: the model writes prose with [1][2]; code reads the markers and finds the quotes.
 * - `quote`: the model writes claims and copies the words they rest on.
 * - `document`: the model writes claims and names their sources; code finds the quotes.
 * - `sources`: the model writes prose and lists what it used; no markers in the answer, the list below it.
 * - `compress`: the model writes claims and names the parts of sources that state them.
 * - `annotate`: the model writes prose first; then it, or similarity, finds the support of each sentence.
 */
export const Citing = z.enum(["inline", "quote", "document", "sources", "compress", "annotate"]);
export type Citing = z.infer<typeof Citing>;
