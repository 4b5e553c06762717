import { z } from "zod";
import { exactly, unless } from "./options.js";
import { ContextForm, type ContextInput } from "./state/context.js";
import { aReader } from "./types/reader.js";

/** A name for the documents that state it as their `collection`. */
export interface CollectionSettings {
  /** What people call it. Default: its name. */
  title?: string | undefined;
  /** What its documents are about, for people and models that choose one. Default: empty. */
  description?: string | undefined;
  /**
   * How questions in it are answered. It only narrows what the server allows. A filter has no place in it: which documents
   * belong to the collection is theirs to state.
   */
  context?: Omit<ContextInput, "filter"> | undefined;
  /**
   * Who may choose it: `everyone`, `user:NAME`, `group:NAME`; empty: nobody. Default: those who may read one of its
   * documents. Callers whose scope does not decide by `readers` may choose every collection.
   */
  readers?: readonly string[] | undefined;
}

/** What people and models that choose are told of documents. */
export const About = exactly({
  title: z.string().trim().min(1).max(100).optional(),
  description: z.string().trim().max(1_000).optional(),
});

export type About = z.infer<typeof About>;

/** The settings of a collection, which `emend.json` extends by `sources`. */
export const CollectionForm = About.extend({
  context: unless(() => false, ContextForm.omit({ filter: true })).optional() as z.ZodType<
    CollectionSettings["context"]
  >,
  readers: z.array(aReader).max(200).optional(),
});

export const CollectionName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, {
  error: "must be a name: a small letter, and up to 39 small letters, digits and hyphens after it",
});

/** A schema of collections by their names. */
export const collectionsOf = <Each extends z.ZodType>(each: Each) =>
  z.record(z.string(), each).check(({ value, issues }) => {
    for (const name of Object.keys(value))
      for (const { message } of CollectionName.safeParse(name).error?.issues ?? [])
        issues.push({ code: "custom", path: [name], message, input: name });
  });
