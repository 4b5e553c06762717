import { toError } from "../errors.js";
import type { DatedPassage } from "../reading/holding.js";
import { plainHeads } from "../text/orders.js";
import { tokensIn } from "../text/token-count.js";
import { plain } from "../text/tokens.js";
import type { Documents } from "../tools/documents/port.js";
import { documentOf } from "../tools/runs/port.js";
import type { Finding, LookUp } from "../types/answer.js";
import type { Evidence, Passage } from "../types/evidence.js";

/** Where look-ups look, and what the model has read already. */
interface Place {
  documents: Documents;
  evidence: readonly Evidence[];
  /** Searches the documents that hold at the time of the question. */
  search: (text: string, limit: number) => Promise<DatedPassage[]>;
  /** True for a document that holds at the time of the question. */
  isHolding: (documentId: string) => boolean;
  signal: AbortSignal;
  fault: (error: Error) => void;
}

/** What one look-up found: passages, best first or in order, and what to say about them. */
interface Found {
  passages: readonly Passage[];
  /** The most of them that the model reads, besides those that it has read already. */
  most: number;
  said?: string;
}

/**
 * Looks for everything that a model asked for in the documents, each request by itself. Returns the passages that it has
 * not read yet, within a limit on tokens that the requests share, and what to tell it about each request.
 */
export async function lookedUp(
  wanted: readonly LookUp[],
  place: Place,
): Promise<{ fresh: DatedPassage[]; findings: Finding[] }> {
  const found = await Promise.all(wanted.map((one) => soughtFor(one, place)));
  const known = new Set(place.evidence.map(({ id }) => id));
  const fresh: DatedPassage[] = [];
  let room = MOST_TOKENS;
  const findings = wanted.map((one, i): Finding => {
    const { passages, most, said = "" } = found[i] as Found;
    // What the others leave unused is left for this one.
    let own = room / (wanted.length - i);
    let taken = 0;
    const read: Passage[] = [];
    for (const passage of passages) {
      if (known.has(passage.id)) read.push(passage);
      else if (taken < most) {
        const size = tokensIn(passage.text);
        if (size > own && taken > 0) break;
        own -= size;
        room -= size;
        taken += 1;
        known.add(passage.id);
        fresh.push({ score: 0, ...passage });
        read.push(passage);
      }
    }
    const rest = passages.filter((passage) => !read.includes(passage));
    return {
      ...one,
      evidenceIds: read.map(({ id }) => id),
      said: [said, restSaid(one, rest)].filter(Boolean).join(" "),
    };
  });
  return { fresh, findings };
}

/** A look-up that fails costs the others nothing. */
async function soughtFor({ by, words }: LookUp, place: Place): Promise<Found> {
  try {
    return await FINDERS[by as keyof typeof FINDERS](words, place);
  } catch (error) {
    if (place.signal.aborted) throw error;
    place.fault(toError(error));
    return { passages: [], most: 0, said: "This could not be looked up." };
  }
}

/** In tokens, for all requests of a round: as much as the first prompt may have. */
const MOST_TOKENS = 6_000;

/** Says which passages were not shown, and how to see them. */
function restSaid({ by }: LookUp, rest: readonly Passage[]): string {
  const [first] = rest;
  if (!first || by === "search") return "";
  if (by === "open") {
    const { section } = plainHeads(first);
    return `It goes on${section === "" ? "" : ` at “${section}”`} (${rest.length} more parts).`;
  }
  const others = new Set(
    rest.map(plainHeads).map(({ title, section }) => [title, section].filter(Boolean).join(" › ")),
  );
  const shown = [...others].slice(0, MOST_PLACES).join("; ");
  return `${rest.length} more parts have it: ${shown}${others.size > MOST_PLACES ? " and others" : ""}.`;
}

const MOST_PLACES = 20;

const FINDERS = {
  search: async (words, { search }) => ({ passages: await search(words, 6), most: 4 }),

  async find(words, { documents, search, isHolding, signal }) {
    if (!documents.find) return { passages: await search(words, 6), most: 4 };
    const all = await documents.find(unquoted(words), MOST_FOUND, { signal });
    const passages = all.filter(
      ({ documentId, title, section, text }) =>
        isHolding(documentId) && hasWhole(`${title} ${section} ${text}`, unquoted(words)),
    );
    return { passages, most: 8, ...(all.length === MOST_FOUND && { said: "There may be more." }) };
  },

  async open(words, place) {
    const { document, from } = await named(words, place);
    const all = document === undefined ? [] : ((await place.documents.open?.(document, place)) ?? []);
    if (from === "") return { passages: all, most: 30 };
    const first = all.findIndex(({ section, text }) => has(section, from) || has(text, from));
    if (first < 0) return { passages: all, most: 30, said: `It has no “${from}”, so it begins at its beginning.` };
    // Of the section that was asked for, as much as there is; else from there on.
    const after = all.slice(first).findIndex(({ section }, i) => i > 0 && !has(section, from));
    const isSection = has(all[first]?.section ?? "", from) && after > 0;
    return { passages: all.slice(first, isSection ? first + after : undefined), most: 30 };
  },

  async outline(words, place) {
    const asked = unquoted(words);
    if (asked !== "" && !/^all\b|^全部|^所有/i.test(asked)) {
      const { document } = await named(words, place);
      const all = document === undefined ? [] : ((await place.documents.open?.(document, place)) ?? []);
      const heads = all.map(plainHeads);
      const headings = [...new Set(heads.map(({ section }) => section).filter((section) => section !== ""))];
      const title = heads[0]?.title ?? "";
      return {
        passages: [],
        most: 0,
        ...(all.length > 0 && { said: `“${title}” has: ${listed(headings, "one part")}` }),
      };
    }
    if (!place.documents.contents) return { passages: [], most: 0, said: "They cannot be listed." };
    const all = await place.documents.contents(MOST_LISTED, place);
    const holding = all.filter(({ documentId }) => place.isHolding(documentId)).map(plainHeads);
    const some = all.length === MOST_LISTED ? ` The first ${MOST_LISTED} only.` : "";
    return { passages: [], most: 0, said: `Documents: ${listed(holding.map(titled), "none")}${some}` };
  },
} satisfies Record<string, (words: string, place: Place) => Promise<Found>>;

/**
 * True if a text has exact words that are not parts of longer ones: "jury" is not in "injury". `*` and `|` as in `find`,
 * which has found the words; here only their edges are looked at. Linear in the text.
 */
function hasWhole(text: string, words: string): boolean {
  const said = text.toLowerCase().replace(/\s+/g, " ");
  return words
    .toLowerCase()
    .split("|")
    .map((one) => one.trim().replace(/\s+/g, " "))
    .some((one) => {
      const parts = one.split("*").filter((part) => part !== "");
      const [first = "", last = first] = [parts[0], parts.at(-1)];
      if (first === "") return false;
      if (!one.includes("*"))
        return places(said, first).some((at) => isEdge(said, at) && isEdge(said, at + first.length));
      const begins = one.startsWith("*") || places(said, first).some((at) => isEdge(said, at));
      return begins && (one.endsWith("*") || places(said, last).some((at) => isEdge(said, at + last.length)));
    });
}

function places(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

/** True unless two letters or digits of a script with spaces meet at this offset. */
const isEdge = (text: string, at: number) => !(isLatin(text.charAt(at - 1)) && isLatin(text.charAt(at)));

const isLatin = (letter: string) => /[\p{Script=Latin}\p{N}]/u.test(letter);

const MOST_FOUND = 200;
const MOST_LISTED = 1_000;

const titled = ({ title, uri }: Passage) => (uri.endsWith(title) ? title : `${title} (${lastParts(uri)})`);

/** The file and its folder. */
const lastParts = (uri: string) => uri.split("/").slice(-2).join("/");

function listed(items: readonly string[], none: string): string {
  const shown: string[] = [];
  let room = LONGEST_LIST;
  for (const item of items) {
    room -= item.length + 2;
    if (room < 0) break;
    shown.push(item);
  }
  const more = items.length - shown.length;
  return `${shown.join("; ") || none}${more > 0 ? `; and ${more} more` : ""}.`;
}

/** In characters. */
const LONGEST_LIST = 6_000;

/**
 * Finds the document that a model names: by the number of a source, by its title or path, or else by what a search for
 * these words finds first. A place in it may follow, after a comma.
 */
async function named(
  words: string,
  { evidence, documents, search, isHolding, signal }: Place,
): Promise<{ document?: string | undefined; from: string }> {
  const [, number, after = ""] = NUMBERED.exec(words) ?? [];
  const source = number === undefined ? undefined : evidence[Number(number) - 1];
  if (source?.source === "document") return { document: documentOf(source.id), from: unquoted(after) };
  // A fact or a page of the web has no document to open.
  if (source) return { from: "" };
  const all = ((await documents.contents?.(MOST_LISTED, { signal })) ?? []).filter((one) => isHolding(one.documentId));
  const [whole, head = "", rest = ""] = /^(.*?)\s*(?:[,，›]|$)\s*(.*)$/s.exec(unquoted(words)) ?? [""];
  for (const [name, from] of [
    [unquoted(words), ""],
    [unquoted(head), rest],
  ] as const) {
    const alike = all.filter((one) => name !== "" && isNamed(one, name));
    // Of documents with the same title, the one that was found already.
    const document = alike.find((one) => evidence.some(({ uri }) => uri === one.uri)) ?? alike[0];
    if (document) return { document: document.documentId, from: unquoted(from) };
  }
  const [first] = await search(whole, 1);
  return { document: first?.documentId, from: "" };
}

const NUMBERED = /^\s*(?:source|资料|来源)?\s*\[?(\d{1,3})\]?\s*(?:[,，:：›]\s*(.*))?$/is;

/** By its title, its path, or both, as the outline of all documents gives them. */
const isNamed = (document: Passage, name: string) => {
  const { title, uri } = document;
  return (
    [title, titled(document)].some((one) => plain(one) === plain(name)) || uri === name || uri.endsWith(`/${name}`)
  );
};

const has = (text: string, words: string) => plain(text).includes(plain(words));

const unquoted = (text: string) =>
  text
    .trim()
    .replace(/^["“”'「《]+|["“”'」》.。]+$/gu, "")
    .trim();
