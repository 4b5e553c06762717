import { DataType, Field, FixedSizeList, Float32, Int32, type Schema, Utf8 } from "apache-arrow";
import { Passage } from "../../types/evidence.js";
import { type TableKind, termsIndex } from "../lancedb/table-folder.js";
import type { VectorKind } from "./vector-kind.js";

/** The table of passages; undefined for one without vectors. */
export const PASSAGES: TableKind<VectorKind | undefined> = {
  name: "passages",
  format: "1",
  fields: (vectors) => [...TEXT_FIELDS, ...(vectors ? [vectorField(vectors.dimensions)] : [])],
  metadata: (vectors) => new Map(vectors && [[MODEL, vectors.model]]),
  variant: vectorKind,
  indexes: { terms: termsIndex },
  startAgain: "Delete the folder and ingest the documents again.",
};

function vectorKind(schema: Schema): VectorKind | undefined {
  const type = schema.fields.find(({ name }) => name === "vector")?.type;
  if (!DataType.isFixedSizeList(type)) return undefined;
  return { model: schema.metadata.get(MODEL) ?? "", dimensions: type.listSize };
}

const MODEL = "emend.embeddings";

const TEXT_FIELDS: Field[] = [...Object.keys(Passage.shape), "terms"].map(
  (name) => new Field(name, name === "position" ? new Int32() : new Utf8(), false),
);

const vectorField = (dimensions: number) =>
  new Field("vector", new FixedSizeList(dimensions, new Field("item", new Float32(), true)), false);
