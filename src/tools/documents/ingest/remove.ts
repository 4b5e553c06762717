import { UsageError } from "../../../errors.js";
import type { KnowledgeGraph } from "../../knowledge/port.js";
import { forgetting } from "../../knowledge/sources.js";
import type { Documents } from "../port.js";
import { documentsFrom } from "./find.js";

export interface RemoveOptions {
  documents: Documents;
  /** Loses what was read out of a passage together with the passage. */
  knowledge?: KnowledgeGraph | undefined;
  signal?: AbortSignal;
  /** What document ids are relative to. Default: the working directory. */
  cwd?: string;
  /** What the names are relative to. Default: `cwd`. */
  here?: string;
}

/**
 * Takes out of the store what came from these files, folders and addresses, whether or not they are still there. The
 * files themselves are left alone.
 * @returns how many documents and passages went.
 * @throws UsageError when nothing in the store comes from one of them; nothing is removed.
 * @throws StoreUnavailableError when the store or the graph fails; the signal's reason when it aborts.
 */
export async function removeSources(
  names: readonly string[],
  { documents, knowledge, signal, cwd = process.cwd(), here = cwd }: RemoveOptions,
): Promise<{ documents: number; passages: number }> {
  const ids = (await documents.list()).map(({ documentId }) => documentId);
  const gone = new Set<string>();
  for (const name of names) {
    const from = documentsFrom(name, ids, { cwd, here });
    if (from.length === 0)
      throw new UsageError(`Nothing in the store comes from ${name}. What is in it: emend list. Nothing was removed.`);
    for (const id of from) gone.add(id);
  }
  signal?.throwIfAborted();
  // Before the documents: stopped in between, nothing speaks of a passage that is no longer there.
  if (knowledge) await forgetting(knowledge, signal)({ gone: [...gone] });
  const passages = await documents.remove([...gone], signal && { signal });
  return { documents: gone.size, passages };
}
