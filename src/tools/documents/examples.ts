import type { Language, Passage } from "../../types/evidence.js";
import { passageIds } from "./chunk.js";
import type { Documents } from "./port.js";

/** What a store is about, by a few of its documents. */
export interface Examples {
  /** How many documents there are. */
  documents: number;
  /** Titles of some of them, at most three. */
  titles: string[];
  /** Questions about some of their headings, at most three. They may have no answer. */
  questions: string[];
}

/**
 * Names some documents of a store, and asks questions about their headings. They are spread over the whole list and are
 * the same every time. Empty if the store lists no documents, for example to users who may see only some.
 * @param language documents in this language come first.
 * @throws what `list` and `get` throw.
 */
export async function examplesFrom(documents: Pick<Documents, "list" | "get">, language: Language): Promise<Examples> {
  const listed = await documents.list();
  const step = Math.max(1, Math.floor(listed.length / LOOKED_AT));
  const ids = listed.filter((_, i) => i % step === 0).map(({ documentId }) => documentId);
  const places = ids.slice(0, LOOKED_AT).flatMap((documentId) => passageIds({ documentId, passages: 3 }));
  const passages = places.length > 0 ? await documents.get(places) : [];
  const isForeign = ([first]: Passage[]) => Number(first?.language !== language);
  const ofDocument = [...Map.groupBy(passages, ({ documentId }) => documentId).values()].toSorted(
    (a, b) => isForeign(a) - isForeign(b),
  );
  const asked = ofDocument.flatMap((all) => all.map(questionFrom).find((question) => question !== "") ?? []);
  const titles = ofDocument.flatMap(([first]) => first?.title || []);
  return {
    documents: listed.length,
    titles: [...new Set(titles)].slice(0, SHOWN),
    questions: [...new Set(asked)].slice(0, SHOWN),
  };
}

const LOOKED_AT = 12;
const SHOWN = 3;

/**
 * A heading that is a question is taken as it is. Headings with digits are skipped: they are numbers, dates or pages.
 */
function questionFrom({ title, section, text, language }: Passage): string {
  const within = [...text.matchAll(/^#{1,6}[ \t]+([^\n]{1,100})$/gm)].map(([, heading = ""]) => heading);
  const headings = [...section.split(" › ").slice(-1), ...within]
    .map((heading) => heading.trim())
    .filter((heading) => heading.length <= LONGEST && heading !== title);
  const asking = headings.find((heading) => /\p{L}.*[?？]$/u.test(heading));
  const heading = headings.find((one) => /^\P{N}*\p{L}\P{N}*$/u.test(one));
  if (asking !== undefined || heading === undefined || title === "" || title.length > LONGEST) return asking ?? "";
  return language === "zh"
    ? `《${title}》中关于“${heading}”是怎么说的？`
    : `What does “${title}” say about “${heading}”?`;
}

/** In characters. */
const LONGEST = 80;
