import { UsageError } from "../src/errors.js";
import type { Documents } from "../src/tools/documents/port.js";

/**
 * Works with a store that may be somebody's own, as on a server: only where it holds nothing, so that nothing of theirs
 * is measured or lost, and what the work put there is removed afterwards.
 * @throws UsageError when the store holds documents. It is left as it is.
 */
export async function inEmptyStore<T>(documents: Documents, work: () => Promise<T>): Promise<T> {
  const { length } = await documents.list();
  if (length > 0)
    throw new UsageError(
      `The document store on the Neo4j server holds ${length} documents, and an evaluation needs an empty one. Name an empty database with NEO4J_DATABASE or NEO4J_URI, or leave out EMEND_DOCUMENTS.`,
    );
  try {
    return await work();
  } finally {
    const left = await documents.list();
    await documents.remove(left.map(({ documentId }) => documentId));
  }
}
