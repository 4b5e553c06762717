import type { IngestOutcome, IngestSummary } from "../ingest/ingest.js";
import { columns, oneLine, withCount } from "./screen.js";

/** Documents by outcome. */
export type Changes = Record<IngestOutcome, string[]>;

interface More {
  /** Documents that come from no source. Undefined if not all sources are known. */
  unnamed?: readonly string[] | undefined;
  /** What a dry run would have done. Undefined for any other run. */
  changes?: Omit<Changes, "unchanged"> | undefined;
}

/** Says what an ingest did, or would have done, for people to read. */
export function summaryInWords(summary: IngestSummary, store: string, { unnamed = [], changes }: More = {}): string {
  const { added, changed, unchanged, removed, passages, failures } = summary;
  const documents = `${added} added, ${changed} changed, ${unchanged} unchanged, ${removed} removed, ${failures.length} failed`;
  const written = changes
    ? "nothing was written, since this is a dry run"
    : `${withCount(passages, "passage", "passages")} written to ${store}`;
  const isNothing = countHandled(summary) === 0 && failures.length === 0;
  const nothing = `Nothing to ingest: there is no file of a kind that emend reads. ${store} is as it was.`;
  return [
    ...columns(Object.entries(changes ?? {}).flatMap(([outcome, ids]) => ids.map((id) => [outcome, oneLine(id)]))),
    isNothing ? nothing : `${documents}; ${written}.`,
    ...skippedInWords(summary),
    ...hiddenInWords(summary),
    ...ignoredInWords(summary, changes !== undefined),
    ...unnamedInWords(unnamed),
  ].join("\n");
}

/** The number of documents handled without failure. */
export const countHandled = ({ added, changed, unchanged, removed }: IngestSummary) =>
  added + changed + unchanged + removed;

/** Returns a line with the kinds of files that were not read, if there are any. */
function skippedInWords({ skipped }: IngestSummary): string[] {
  const kinds = Object.entries(skipped);
  const all = kinds.reduce((sum, [, count]) => sum + count, 0);
  if (all === 0) return [];
  const named = kinds.slice(0, MOST_NAMED).map(([kind, count]) => `${kind || "without an extension"} (${count})`);
  const what = `${withCount(all, "file")} of kinds that emend does not read`;
  return [`${what}: ${named.join(", ")}${more(kinds.length, "kind")}.`];
}

/** Returns a line with the folders that were not searched, if there are any. */
function hiddenInWords({ hidden }: IngestSummary): string[] {
  if (hidden.length === 0) return [];
  const named = hidden.slice(0, MOST_NAMED).map(oneLine).join(", ");
  const what = withCount(hidden.length, "folder that begins with a dot", "folders that begin with a dot");
  return [`${what} not searched: ${named}${more(hidden.length, "folder")}. Name one to ingest it.`];
}

/** Returns a line with the rule files that left something out, if there are any. */
function ignoredInWords({ ignored, removedAsIgnored }: IngestSummary, isDry: boolean): string[] {
  const rules = Object.entries(ignored);
  const all = rules.reduce((sum, [, count]) => sum + count, 0);
  if (all === 0) return [];
  const named = rules.slice(0, MOST_NAMED).map(([rule, count]) => `${oneLine(rule)} (${count})`);
  const [was, were] = isDry ? ["document would be", "documents would be"] : ["document was", "documents were"];
  const taken = `${withCount(removedAsIgnored, was, were)} removed from the store for it.`;
  const removed = removedAsIgnored > 0 ? [taken] : [];
  const what = `${all} left out: ${named.join(", ")}${more(rules.length, "file")}.`;
  return [[what, ...removed].join(" ")];
}

function unnamedInWords(unnamed: readonly string[]): string[] {
  if (unnamed.length === 0) return [];
  const named = unnamed.slice(0, MOST_NAMED).map(oneLine).join(", ");
  const come = withCount(unnamed.length, "document comes", "documents come");
  return [`${come} from none of these sources: ${named}${more(unnamed.length, "document")}. --prune removes them.`];
}

const more = (all: number, what: string) =>
  all > MOST_NAMED ? ` and ${withCount(all - MOST_NAMED, `more ${what}`)}` : "";

const MOST_NAMED = 20;
