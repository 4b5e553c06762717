import { UsageError } from "../errors.js";
import type { LangchainDocument } from "../ingest/langchain.js";
import type { Connector, Listed } from "../loaders/port.js";
import { digestOf } from "../text/digest.js";
import { isoDate } from "../text/metadata.js";
import type { Reader } from "../types/reader.js";
import { sleep } from "../waiting.js";
import type { Mapping } from "./loader-source.js";

/** The part of a LangChain document loader that is used here. */
export interface Loader {
  load(): Promise<LangchainDocument[]>;
}

/**
 * Makes a connector of a LangChain loader. It delivers everything at once, so a document's version is a digest of its
 * content. Documents with the same id are the parts of one document, in the order given, each on its page if it names
 * one. A load that fails is tried twice more, unless it is a UsageError.
 * @param open returns the loader; called for every try, since some loaders keep what an earlier one delivered.
 */
export function fromLoader(open: () => Promise<Loader>, mapping: Mapping): Connector {
  const loaded = new Map<string, readonly LangchainDocument[]>();

  async function load(signal: AbortSignal, tries = 1): Promise<LangchainDocument[]> {
    const loader = await open();
    let given: unknown;
    try {
      given = await loader.load();
    } catch (error) {
      if (tries === MOST_TRIES || error instanceof UsageError) throw error;
      await sleep(FIRST_WAIT_MS * 4 ** (tries - 1), signal);
      return load(signal, tries + 1);
    }
    if (isDocuments(given)) return given;
    throw new Error(NO_DOCUMENTS);
  }

  return {
    async *list({ signal }) {
      for (const [id, parts] of Map.groupBy(await load(signal), (one) => idOf(one, mapping))) {
        loaded.set(id, parts);
        yield listedOf(id, parts, mapping);
      }
    },
    async read({ id }) {
      const parts = loaded.get(id) ?? [];
      loaded.delete(id);
      return textOf(parts);
    },
  };
}

const MOST_TRIES = 3;
const FIRST_WAIT_MS = 500;
const NO_DOCUMENTS = "The loader does not deliver LangChain documents: a list of { pageContent, metadata }.";

const isDocuments = (given: unknown): given is LangchainDocument[] =>
  Array.isArray(given) && given.every((one) => typeof one?.pageContent === "string");

/** Joins the parts of a document. */
function textOf(parts: readonly LangchainDocument[]) {
  let text = "";
  const places: { start: number; name: string }[] = [];
  for (const part of parts) {
    const page = pageOf(part);
    if (text !== "") text += "\n\n";
    if (page !== undefined && page !== places.at(-1)?.name) places.push({ start: text.length, name: page });
    text += part.pageContent;
  }
  return { text, ...(places.length > 0 && { places }) };
}

const pageOf = (part: LangchainDocument) => {
  const [page] = valuesAt(part, "metadata.loc.pageNumber");
  return page === undefined ? undefined : `p. ${page}`;
};

function listedOf(id: string, parts: readonly LangchainDocument[], mapping: Mapping): Listed {
  const [first] = parts;
  const at = (given: string | undefined, usual: readonly string[]) =>
    (given === undefined ? usual : [given]).flatMap((path) => valuesAt(first, path))[0];
  // Who may read it changes without the content.
  const rights = [mapping.users, mapping.groups].map((path) => path?.split(".")[1]);
  const url = mapping.url === undefined ? URLS.flatMap((path) => valuesAt(first, path)).find(isAddress) : undefined;
  return {
    id,
    version: digestOf(textOf(parts)),
    title: at(mapping.title, TITLES),
    url: url ?? at(mapping.url, []),
    changedAt: dateOf(at(mapping.date, DATES)),
    ...readersIn(parts, mapping),
    metadata: Object.fromEntries(
      Object.entries(first?.metadata ?? {}).filter(([key]) => !CHANGING.has(key) && !rights.includes(key)),
    ),
  };
}

/** Who may read all parts of a document. Nothing if the source does not say it of any document. */
function readersIn(parts: readonly LangchainDocument[], { users, groups }: Mapping): { readers?: Reader[] } {
  if (users === undefined && groups === undefined) return {};
  const [first = new Set<Reader>(), ...others] = parts.map((part) => {
    const named = (path: string | undefined) => (path === undefined ? [] : valuesAt(part, path));
    const readers = [
      ...named(users).map((name): Reader => `user:${name}`),
      ...named(groups).map((name): Reader => `group:${name}`),
    ];
    return new Set(readers);
  });
  return { readers: [...others.reduce((all, one) => all.intersection(one), first)] };
}

/**
 * Returns what identifies a document in its source. Loaders of repositories also give a repository, which tells equal
 * paths apart.
 */
function idOf(one: LangchainDocument, { id }: Mapping): string {
  if (id !== undefined) return valuesAt(one, id)[0] ?? "";
  const own = IDS.flatMap((path) => valuesAt(one, path))[0] ?? digestOf(one.pageContent);
  return [...valuesAt(one, "metadata.repository"), own].join("/");
}

/** Where the loaders of LangChain say what they deliver. The address of a page in Notion changes with its title. */
const IDS = [
  "metadata.source",
  "metadata.id",
  "metadata.notionId",
  "metadata.url",
  "metadata.link",
  "metadata.uri",
  "id",
];
const TITLES = ["metadata.title", "metadata.name", "metadata.properties._title", "metadata.pdf.info.Title"];
const URLS = ["metadata.url", "metadata.link", "metadata.uri", "metadata.source"];
const DATES = [
  "metadata.updated_at",
  "metadata.updatedAt",
  "metadata.last_modified",
  "metadata.lastModified",
  "metadata.modified",
  "metadata.last_edited_time",
  "metadata.version.when",
  "metadata.pdf.info.ModDate",
];
/** What changes although the document does not. */
const CHANGING = new Set(["lastAccessed"]);

const isAddress = (text: string) => /^https?:\/\//i.test(text);

/** Returns the texts and numbers at a path, of which a step into a list goes into each of its entries. */
function valuesAt(given: unknown, path: string): string[] {
  const all = path
    .split(".")
    .reduce<unknown[]>((values, key) => values.flatMap((value) => ownValue(value, key)), [given]);
  return all
    .flat()
    .map((value) => (value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value))
    .filter((value) => typeof value === "string" || typeof value === "number")
    .map((value) => `${value}`.trim())
    .filter((value) => value !== "");
}

function ownValue(given: unknown, key: string): unknown[] {
  if (Array.isArray(given)) return given.flatMap((one) => ownValue(one, key));
  return typeof given === "object" && given !== null && Object.hasOwn(given, key) ? [Reflect.get(given, key)] : [];
}

/** Returns the ISO date of a time: ISO, as PDF writes it, seconds or milliseconds since 1970, or any that JavaScript reads. */
function dateOf(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const [, year, month, day] = /^D:(\d{4})(\d{2})(\d{2})/.exec(written) ?? [];
  if (day !== undefined) return isoDate(`${year}-${month}-${day}`);
  const known = isoDate(written);
  if (known !== "") return known;
  const number = Number(written);
  const time = Number.isNaN(number) ? Date.parse(written) : number * (number < 1e11 ? 1_000 : 1);
  return time > 0 && time < LAST_TIME ? new Date(time).toISOString().slice(0, 10) : undefined;
}

/** The end of the year 9999. */
const LAST_TIME = Date.UTC(9999, 11, 31);
