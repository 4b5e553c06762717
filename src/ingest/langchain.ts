import { createHash } from "node:crypto";
import { z } from "zod";
import { StoreUnavailableError } from "../errors.js";
import { hasMethod } from "../options.js";
import { inPassages } from "../tables/packed.js";
import { languageOf } from "../text/language.js";
import { metadataOf } from "../text/metadata.js";
import { coverage } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import type { Documents } from "../tools/documents/port.js";
import type { Passage, SourceDocument } from "../types/evidence.js";
import { meets } from "../types/filter.js";
import type { CutDocument } from "./chunk.js";

/** The part of a LangChain retriever that is used here. */
export interface Retriever {
  invoke(query: string, config?: { signal?: AbortSignal }): Promise<LangchainDocument[]>;
}

/** The part of a LangChain vector store that is used here. */
export interface VectorStore {
  similaritySearchWithScore(query: string, k?: number): Promise<[LangchainDocument, number][]>;
}

export const aRetriever = z.custom<Retriever | VectorStore>(
  (given) => hasMethod(given, "invoke") || hasMethod(given, "similaritySearchWithScore"),
  {
    error:
      "must be a retriever or a vector store of LangChain, with the function `invoke` or `similaritySearchWithScore`",
  },
);

/**
 * Searches a LangChain retriever or vector store and keeps its order. Read-only. A document longer than a passage is
 * cut, and the parts that share the most words with the query are returned. Title, section and address come from the
 * metadata (`title`, `section`, `source`, `url`). Filters are not passed on: with a filter, a vector store is asked for
 * 200 documents, and those whose metadata does not meet it are left out.
 */
export function langchainDocuments(source: Retriever | VectorStore): Documents {
  /** Recent results, oldest first, for `get`, `neighbours` and `list`. */
  const seen = new Map<string, Passage>();

  async function found(query: string, limit: number, signal: AbortSignal | undefined): Promise<LangchainDocument[]> {
    try {
      if ("similaritySearchWithScore" in source)
        return (await source.similaritySearchWithScore(query, limit)).map(([document]) => document);
      return await source.invoke(query, signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted();
      const why = error instanceof Error ? error.message.slice(0, 200) : "";
      throw new StoreUnavailableError(`The retriever fails. ${why}`.trim(), { cause: error });
    }
  }

  function remember(passage: Passage): void {
    seen.delete(passage.id);
    seen.set(passage.id, passage);
    const [oldest] = seen.keys();
    if (seen.size > MOST_SEEN && oldest !== undefined) seen.delete(oldest);
  }

  const readOnly = async () => {
    throw new StoreUnavailableError("These documents are found by a retriever. Write them where it reads them.");
  };

  return {
    upsert: readOnly,
    remove: readOnly,
    async search({ text, exclude = [], filter = [] }, limit, { signal } = {}) {
      if (!text.trim()) return [];
      signal?.throwIfAborted();
      const most = filter.length > 0 ? MOST_FILTERED : limit;
      const documents = await found(text, most + exclude.length, signal);
      if (!Array.isArray(documents) || documents.some((one) => typeof one?.pageContent !== "string"))
        throw new StoreUnavailableError("The retriever does not give LangChain documents.");
      const passages: Passage[] = [];
      for (const document of documents) {
        const all = await passagesOf(document, signal);
        for (const passage of all) remember(passage);
        passages.push(
          ...nearest(
            all.filter(({ metadata }) => meets(metadata, filter)),
            text,
          ),
        );
      }
      const left = new Map(passages.filter(({ id }) => !exclude.includes(id)).map((passage) => [passage.id, passage]));
      return [...left.values()].slice(0, limit).map((passage, i) => ({ ...passage, score: 1 / (1 + i) }));
    },
    get: async (ids, { filter = [] } = {}) =>
      ids.flatMap((id) => seen.get(id) ?? []).filter(({ metadata }) => meets(metadata, filter)),
    async neighbours(id, distance = 1, { filter = [] } = {}) {
      const own = seen.get(id);
      const beside = (one: Passage) => {
        const away = Math.abs(one.position - (own?.position ?? 0));
        return one.documentId === own?.documentId && away > 0 && away <= distance && meets(one.metadata, filter);
      };
      return [...seen.values()].filter(beside).sort((a, b) => a.position - b.position);
    },
    list: async () =>
      [...Map.groupBy(seen.values(), ({ documentId }) => documentId)].map(([documentId, all]) => ({
        documentId,
        hash: all[0]?.hash ?? "",
        passages: all.length,
      })),
    // Retrievers cannot tell.
    isEmpty: async () => false,
    close: async () => {},
  };
}

/** The most parts of one document that a search returns. */
const PARTS = 3;

function nearest(passages: readonly Passage[], query: string): readonly Passage[] {
  if (passages.length <= PARTS) return passages;
  const wanted = contentTerms(query);
  const share = ({ section, text }: Passage) => coverage(wanted, new Set(contentTerms(`${section} ${text}`)));
  return passages
    .map((passage) => ({ passage, share: share(passage) }))
    .sort((a, b) => b.share - a.share)
    .slice(0, PARTS)
    .map(({ passage }) => passage);
}

/** How many documents a search with a filter asks for. */
const MOST_FILTERED = 200;
const MOST_SEEN = 2_000;

/** A LangChain document. The type is structural, since the document may come from another copy of LangChain. */
export interface LangchainDocument {
  pageContent: string;
  metadata: Record<string, unknown>;
  id?: string | undefined;
}

/** Returns the text as one passage, or as several if it is too long. */
const passagesOf = async (given: LangchainDocument, signal?: AbortSignal): Promise<Passage[]> =>
  isShort(given) ? [onlyPassage(given)] : (await cutOf(given, signal)).passages;

/** Returns the text as one passage, or as several if it is too long, and its tables. */
export async function cutOf(given: LangchainDocument, signal?: AbortSignal): Promise<CutDocument> {
  const { cutInOwnProcess } = await import("./chunk.js");
  const cut = await cutInOwnProcess(documentOf(given), signal);
  if (!isShort(given)) return cut;
  const { section, ...only } = onlyPassage(given);
  const within = (own: string) => [section, own].filter((part) => part !== "").join(" › ");
  const tables = cut.tables.map((table) => ({
    ...inPassages(table, () => 0),
    section: within(table.section),
  }));
  return { passages: [{ ...only, section }], tables };
}

const named = (metadata: Record<string, unknown>, ...names: string[]) =>
  names.map((name) => metadata[name]).find((value): value is string => typeof value === "string" && value !== "");

function documentOf({ pageContent: text, metadata = {}, id }: LangchainDocument): SourceDocument {
  const uri = named(metadata, "source", "url", "uri", "link", "path") ?? "";
  const hash = digest(text);
  return {
    documentId: id ?? named(metadata, "id") ?? `${uri}#${hash.slice(0, 16)}`,
    uri,
    title: named(metadata, "title", "name") ?? uri.split(/[\\/]/).at(-1) ?? "",
    reviewedAt: "",
    metadata: metadataOf(Object.entries(metadata)),
    format: "markdown" as const,
    text,
    hash,
  };
}

function onlyPassage(given: LangchainDocument): Passage {
  const { format: _, ...document } = documentOf(given);
  const { metadata = {} } = given;
  const headings = ["Header 1", "Header 2", "Header 3"].flatMap((name) => named(metadata, name) ?? []);
  const section = named(metadata, "section", "heading") ?? headings.join(" › ");
  return {
    ...document,
    id: `${document.documentId}#0`,
    position: 0,
    section,
    language: languageOf(document.text),
  };
}

const isShort = ({ pageContent }: LangchainDocument) => pageContent.length <= LONGEST;

/** In characters. `chunk` never makes longer passages. */
const LONGEST = 4_000;

export const digest = (text: string) => createHash("sha256").update(text).digest("hex");
