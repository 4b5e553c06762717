import { z } from "zod";
import { Readers } from "../ingest/stamp.js";
import { exactly } from "../options.js";

const Path = z.string().regex(/^[^\s.]+(?:\.[^\s.]+)*$/, {
  error: 'must be a path such as "metadata.version.when"',
});

/** Where the documents of a LangChain loader say what is asked of them, by paths such as `metadata.version.when`. */
export const mappingOptions = {
  id: Path.optional(),
  title: Path.optional(),
  url: Path.optional(),
  date: Path.optional(),
  users: Path.optional(),
  groups: Path.optional(),
};
export interface Mapping {
  /** What names a document for as long as it exists. Default: `source`, `id`, `url` and the like. */
  id?: string | undefined;
  /** Default: `title` or `name`. */
  title?: string | undefined;
  /** The address that opens it. Default: `url`, `link` and the like. */
  url?: string | undefined;
  /** The time of its last change. Default: `updated_at`, `lastModified`, `last_edited_time` and the like. */
  date?: string | undefined;
  /** The names of the users who may read it. A document that does not say it is read by nobody. */
  users?: string | undefined;
  /** The names of the groups who may read it. A document that does not say it is read by nobody. */
  groups?: string | undefined;
}

/**
 * The name of a source, which the ids of its documents begin with. It never looks like a path or an address. There is no
 * default: a name made of the options would change with them, and then all documents would be stored anew.
 */
const SourceName = z
  .string({ error: 'must name the source, such as "confluence:HR": its documents are stored below this name' })
  .regex(
    /^(?!(?:https?|file|stdin|upload):)[a-z][a-z0-9-]+:[\p{L}\p{N}](?:[\p{L}\p{N}._/-]{0,198}[\p{L}\p{N}._-])?$/u,
    {
      error:
        'must be two names with a colon between them, such as "confluence:HR". The first has two or more small letters, digits and hyphens',
    },
  );

/** A LangChain loader or a connector, and how its documents are stored. */
export const LoaderSource = exactly({
  loader: z.string().regex(/^[^#\s][^#]*(?:#[^#\s]+)?$/, {
    error: 'must be a module and what it exports, such as "./loaders/wiki.mjs#Wiki"',
  }),
  options: z
    .union([z.record(z.string(), z.unknown()), z.array(z.unknown())], { error: "must be an object, or a list" })
    .optional(),
  as: SourceName,
  ...mappingOptions,
  readers: Readers.optional(),
}).refine(({ readers, users, groups }) => !readers || !(users ?? groups), {
  path: ["readers"],
  error: "is for a source that does not say who may read its documents: give either `readers`, or `users` and `groups`",
});
export type LoaderSource = z.infer<typeof LoaderSource>;
