import { z } from "zod";
import { UsageError } from "../errors.js";
import { type DeliveryOptions, type DeliverySummary, deliver } from "../ingest/deliver.js";
import { sinkOptions } from "../ingest/ingest.js";
import type { LangchainDocument } from "../ingest/langchain.js";
import { aStamp, type Stamp } from "../ingest/stamp.js";
import type { Connector } from "../loaders/port.js";
import { aFunction, check, exactly, type OptionsOf } from "../options.js";
import type { Loader } from "./from-loader.js";
import { type Mapping, mappingOptions } from "./loader-source.js";
import { connectorOf, isConnector, isLoader } from "./open-loader.js";
import { syncSource } from "./sync-source.js";

/** How documents of a loader or a connector are stored. */
export interface SourceOptions extends DeliveryOptions, Mapping, Stamp {
  /** Called before each document, with the number of documents done. */
  onProgress?: ((done: number, total: number, documentId: string) => void) | undefined;
}

const ofSource = { ...mappingOptions, ...aStamp.shape, onProgress: aFunction.optional() };
const Given = exactly({
  ...sinkOptions,
  ...ofSource,
  within: z.string().regex(/\S/, { error: "must name the source of the documents, such as wiki" }),
} satisfies OptionsOf<SourceOptions>);

/**
 * Stores documents from LangChain loaders or splitters, or from a source.
 *
 * A list of documents is a delivery. Those with the same `metadata.source` (in the same `metadata.repository`) become one
 * document, in the order given; those without a source are separate documents. Unchanged documents are not written again. A
 * text longer than a passage is cut as a file is. `knowledge` is filled as by `ingest`. If another source has stored other
 * content under an id, that content stays, and a failure says so. A delivery without any text removes nothing, and neither
 * does one that fails, however far it came.
 *
 * A loader or a connector is synced as `emend sync` does, below the name `within`: what is new or changed is written, what
 * it no longer lists is removed, and what only changed its readers is not written again. Nothing is removed if it lists
 * nothing or fails, which is a failure. `id`, `title`, `url`, `date`, `users` and `groups` are paths in the documents of a
 * loader, such as `metadata.version.when`; `readers` and `collection` are for all documents.
 * @param given documents, of which nothing is written if reading them fails; or a loader or a connector.
 * @returns the numbers of documents and passages. Call `documents.embed` to enable vector search.
 * @throws UsageError if `within` is empty, or is missing for a loader or a connector.
 * @throws StoreUnavailableError as the store does; the signal's reason if aborted; what a list of documents throws.
 */
export async function ingestDocuments(
  given: Iterable<LangchainDocument> | AsyncIterable<LangchainDocument> | Loader | Connector,
  options: SourceOptions,
): Promise<DeliverySummary> {
  if (!isConnector(given) && !isLoader(given)) {
    const extra = Object.keys(ofSource).find((key) => Object.hasOwn(options, key));
    if (extra) throw new UsageError(`\`${extra}\` is for a loader or a connector, and this is a list of documents.`);
    return deliver(given, options);
  }
  check(Given, options);
  const { within = "", documents, knowledge, facts, signal, readers, collection, onProgress, ...mapping } = options;
  if (readers && (mapping.users ?? mapping.groups) !== undefined)
    throw new UsageError("Give either `readers`, or `users` and `groups`.");
  const source = isConnector(given) ? given : connectorOf(async () => given, mapping);
  const { added, changed, unchanged, restamped, removed, passages, failures, warnings } = await syncSource(source, {
    ...{ documents, knowledge, facts, as: within, stamp: { readers, collection } },
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  });
  return {
    ...{ written: added + changed, unchanged, passages, removed, restamped },
    ...(failures.length > 0 && { failures }),
    ...(warnings.length > 0 && { warnings }),
  };
}
