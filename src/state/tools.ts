import type { z } from "zod";
import { type OptionsOf, part } from "../options.js";
import type { Aliases } from "../text/aliases.js";
import type { Documents } from "../tools/documents/port.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { CypherWriter, KnowledgeGraph } from "../tools/knowledge/port.js";
import type { Reranker } from "../tools/reranker/port.js";
import type { RunRecorder } from "../tools/runs/port.js";
import type { Tables } from "../tools/tables/port.js";
import type { PageReader, WebSearch } from "../tools/web/port.js";
import type { Checker, Filler, Generator, Grader, Rewriter } from "../types/reasoners.js";

/** Everything the graph works with. Nodes know these ports and no adapter. */
export interface Tools {
  documents: Documents;
  /** Judges by meaning; without it, words alone decide. */
  encoder?: Encoder;
  /** Ranks the passages found, before the best of them are read. */
  reranker?: Reranker;
  /** Names that mean the same. */
  aliases?: Aliases;
  grader: Grader;
  rewriter: Rewriter;
  generator: Generator;
  /** Asked last about claims in doubt; without it, the encoder decides. */
  checker?: Checker;
  /** Extracts data from checked claims; without it, answers are text only. */
  filler?: Filler;
  /** Asked when the documents do not answer; without it, that step is skipped. */
  knowledge?: KnowledgeGraph;
  /** Asked for counts, sums and other figures; without it, no table is queried. */
  tables?: Tables;
  /** Writes queries for a graph that has a query language; without it, facts are only looked up by name. */
  cypherWriter?: CypherWriter;
  /** Asked when nothing else answers, together with the page reader; without both, the web is not searched. */
  webSearch?: WebSearch;
  pageReader?: PageReader;
  /** Keeps a record of every run; without it, none is kept. */
  runs?: RunRecorder;
}

/** Each part with the functions that are always called. */
export const toolOptions = {
  documents: part<Documents>("search", "get", "neighbours", "isEmpty", "list", "upsert", "remove", "close"),
  encoder: part<Encoder>("embed", "judge", "close").optional(),
  reranker: part<Reranker>("rank").optional(),
  aliases: part<Aliases>("wordings", "inWordsOf", "found").optional(),
  grader: part<Grader>("grade"),
  rewriter: part<Rewriter>("standalone", "rewrite"),
  generator: part<Generator>("generate"),
  checker: part<Checker>("check").optional(),
  filler: part<Filler>("fill").optional(),
  knowledge: part<KnowledgeGraph>("schema", "facts", "close").optional(),
  tables: part<Tables>("search", "heads", "get", "query").optional(),
  cypherWriter: part<CypherWriter>("write").optional(),
  webSearch: part<WebSearch>("search").optional(),
  pageReader: part<PageReader>("read", "close").optional(),
  runs: part<RunRecorder>("add", "close").optional(),
} satisfies { [Name in keyof Tools]-?: z.ZodType<Tools[Name]> } & OptionsOf<Tools>;

export async function closeTools({ documents, knowledge, pageReader, encoder, runs }: Tools): Promise<void> {
  await runs?.close();
  // Documents and facts may share a database.
  await documents.close();
  await Promise.all([knowledge?.close(), pageReader?.close(), encoder?.close()]);
}
