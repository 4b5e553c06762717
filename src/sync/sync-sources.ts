import { UsageError } from "../errors.js";
import { countKept, type IngestSummary, nothingIngested } from "../ingest/ingest.js";
import { together } from "../ingest/sources.js";
import type { Stamp } from "../ingest/stamp.js";
import type { Connector } from "../loaders/port.js";
import { isBelow } from "../tools/documents/document-id.js";
import type { LoaderSource } from "./loader-source.js";
import { openLoader } from "./open-loader.js";
import { type SyncOptions, syncSource } from "./sync-source.js";

/** A source that was opened. */
export interface OpenedSource {
  as: string;
  connector: Connector;
  stamp: Stamp;
  /** What must not be shown in messages. */
  secrets: readonly string[];
}

/** What `emend.json` says of a source that is not on disk, with the variables in its options filled in. */
export interface NamedSource {
  source: LoaderSource;
  stamp: Stamp;
  secrets: readonly string[];
}

/**
 * Opens sources, before any of them is read.
 * @param folder the folder of `emend.json`.
 * @throws UsageError as `openLoader` does, and if the documents of one would be below those of another.
 */
export async function openSources(named: readonly NamedSource[], folder: string): Promise<OpenedSource[]> {
  const names = named.map(({ source }) => source.as);
  for (const [i, as] of names.entries())
    if (names.some((other, j) => i !== j && isBelow(as, other)))
      throw new UsageError(
        `Two sources are called ${as}, or one is below the other. Give each a name of its own (\`as\`).`,
      );
  const opened: OpenedSource[] = [];
  for (const { source, stamp, secrets } of named) {
    const connector = await openLoader(source, folder).catch((error: Error) => {
      throw new UsageError(`${source.as}: ${withoutSecrets(error.message, secrets)}`);
    });
    opened.push({ as: source.as, connector, stamp, secrets });
  }
  return opened;
}

/** Syncs sources one after the other. What fails in one is reported, and the others go on. */
export async function syncSources(
  sources: readonly OpenedSource[],
  options: Omit<SyncOptions, "as" | "stamp">,
): Promise<IngestSummary> {
  let summary = nothingIngested();
  for (const { as, connector, stamp, secrets } of sources) {
    const kept = countKept(summary);
    const onKept = (more: number) => options.onKept?.(kept + more);
    const own = await syncSource(connector, { ...options, as, stamp, onKept });
    const failures = own.failures.map(({ path, reason }) => ({ path, reason: withoutSecrets(reason, secrets) }));
    summary = together(summary, { ...own, failures });
  }
  return summary;
}

/** Returns a message in which “…” stands for secrets. */
const withoutSecrets = (message: string, secrets: readonly string[]) =>
  secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .reduce((text, secret) => text.replaceAll(secret, "…").replaceAll(encodeURIComponent(secret), "…"), message);

/** In characters. What is shorter, such as the name of a space, is none. */
const SHORTEST_SECRET = 6;
