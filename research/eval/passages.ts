import { languageOf } from "../../src/text/language.js";
import type { Evidence, Passage } from "../../src/types/evidence.js";
import type { CorpusLine } from "./data.js";

/** A line of a corpus as the one passage of its own document: its id is the document's id. */
export const asPassage = ({ id, title, text }: CorpusLine): Passage => ({
  id: `${id}#0`,
  documentId: id,
  position: 0,
  title,
  uri: id,
  section: "",
  text,
  language: languageOf(text),
  reviewedAt: "",
  hash: "",
  metadata: {},
});

/** A text as evidence that is not graded yet. */
export const asEvidence = ({ id, text }: { id: string; text: string }): Evidence => ({
  id,
  source: "document",
  title: "",
  uri: id,
  section: "",
  text,
  language: languageOf(text),
  score: 0,
  relevance: 0,
  strips: [],
  retrievedAt: "",
  reviewedAt: "",
});
