import { languageOf } from "../text/language.js";
import type { Passage } from "../types/evidence.js";

/** Fills in every field of a passage. */
export const fakePassage = (id: string, text: string, rest: Partial<Passage> = {}): Passage => ({
  id,
  documentId: id,
  position: 0,
  title: id,
  uri: `${id}.md`,
  section: "",
  text,
  language: rest.language ?? languageOf(text),
  reviewedAt: "",
  hash: "",
  metadata: {},
  ...rest,
});
