import { Field, Int32, Utf8 } from "apache-arrow";
import { Passage } from "../../../types/evidence.js";
import { type TableKind, termsIndex } from "../../store/lancedb/table-folder.js";

/** The table of passages. Vectors are added later, see `lance-vectors.ts`. */
export const PASSAGES: TableKind = {
  name: "passages",
  format: "1",
  fields: () =>
    [...Object.keys(Passage.shape), "terms"].map(
      (name) => new Field(name, name === "position" ? new Int32() : new Utf8(), false),
    ),
  indexes: { terms: termsIndex },
  startAgain: "Delete the folder and ingest the documents again.",
};
