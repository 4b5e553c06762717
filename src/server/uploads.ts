import { Hono, type Context as HonoContext } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { UsageError } from "../errors.js";
import { LARGEST_FILE } from "../ingest/bytes.js";
import type { Inbox } from "../ingest/uploads/inbox.js";
import { fileNameOf } from "../ingest/uploads/names.js";
import { choicesIn, metadataFrom, statedWithin } from "../ingest/uploads/stated.js";
import { jsonOf } from "../text/decode.js";
import { Listed } from "../tools/uploads/port.js";
import { Condition, type Filter } from "../types/filter.js";
import { COLLECTION, type Metadata, metadataKey, READERS } from "../types/metadata.js";
import { gate } from "../waiting.js";
import { mayUpload, whoAsks } from "./auth.js";
import { type Collection, chosenFrom, type ShownTo } from "./collections.js";
import { MOST_FILES, withForm } from "./multipart.js";

/** The fields of the form, beside its files. */
export const UploadFields = z.strictObject({
  id: z
    .string()
    .transform((id) => id.normalize("NFC").trim())
    .pipe(z.string().regex(/^[^\p{C}\s][^\p{C}]{0,199}$/u, { error: "must be a text of 1 to 200 visible characters" }))
    .optional()
    .describe("The document to replace, or the name of a new one, for a single file."),
  collection: z.string().optional().describe("The name of the collection that the documents go into. Default: none."),
  metadata: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("What the documents state, in place of what their files state: names with texts or lists of texts."),
  scope: z
    .array(Condition.omit({ not: true }).extend({ values: z.array(z.string().trim().min(1).max(500)).min(1).max(200) }))
    .max(50)
    .default([])
    .describe("Who may read the documents: conditions within the client's scope, which their metadata then meets."),
});

/** What became of a file of a form: a document with an id, or the reason why it was not taken. */
type Outcome = Listed | { title: string; state: "failed"; reason: string };

export const DocumentsReply = z.object({
  documents: z.array(z.union([Listed, Listed.pick({ title: true, state: true, reason: true })])),
  next: z.string().optional(),
});
export { Listed as ListedDocument };

interface UploadsOptions {
  /** Without one, nobody may send documents. */
  inbox: Promise<Inbox> | undefined;
  shownTo: ShownTo;
  /** True if there are collections, also if none is shown to a client. */
  hasCollections: boolean;
}

/** Documents by HTTP: sends, lists and deletes them, for clients with the right to do so, within their scope. */
export function uploads(agent: Agent, { inbox, shownTo, hasCollections }: UploadsOptions): Hono {
  const scopeOf = (c: HonoContext): Promise<Filter> => agent.scopeFor(whoAsks(c));
  const inboxFor = async (c: HonoContext): Promise<Inbox> => {
    if (!inbox || !mayUpload(c)) throw new HTTPException(403, { message: NO_RIGHT });
    return inbox;
  };

  const turns = gate(MOST_FORMS);
  async function taken(
    inbox: Inbox,
    request: Request,
    scope: Filter,
    shown: readonly Collection[],
  ): Promise<Outcome[]> {
    return withForm(request, { place: inbox.place, nameOf: namedBy(inbox) }, async (files, given) => {
      const { id, collection, metadata, scope: readers } = fieldsIn(given);
      const [into] = chosenFrom(shown, collection).named ?? [];
      const stated = hasCollections ? placed(metadata, readers, into, scope) : statedWithin(metadata, readers, scope);
      if (files.length === 0) throw new UsageError("The form has no file.");
      if (id !== undefined && files.length > 1)
        throw new UsageError("An id names one document: send one file with it.");
      const outcomes: Outcome[] = [];
      for (const file of files)
        outcomes.push(
          "refused" in file
            ? { title: file.name, state: "failed", reason: file.refused }
            : await inbox.take(file, { id, metadata: stated, scope }),
        );
      return outcomes;
    });
  }

  return new Hono()
    .get("/rights", async (c) => {
      const own = mayUpload(c) ? await inbox : undefined;
      const [into] = chosenFrom(await shownTo(whoAsks(c)), c.req.query("collection")).named ?? [];
      const isChoice = ({ key, values }: Condition) => values.length > 1 && !(hasCollections && key === COLLECTION);
      const scope = own ? choicesIn(decidedIn(into, await scopeOf(c))).filter(isChoice) : [];
      return c.json({
        upload: own ? { extensions: own.extensions, bytes: LARGEST_FILE, files: MOST_FILES, scope } : null,
      });
    })
    .post("/documents", async (c) => {
      const inbox = await inboxFor(c);
      const scope = await scopeOf(c);
      if (await inbox.isFull()) {
        c.header("Retry-After", "60");
        throw new HTTPException(429, { message: "Too much waits to be read. Try again later." });
      }
      const shown = await shownTo(whoAsks(c));
      const documents = await turns.through(c.req.raw.signal, () => taken(inbox, c.req.raw, scope, shown));
      const isAnyTaken = documents.some((one) => "id" in one);
      return isAnyTaken
        ? c.json({ documents }, 202)
        : c.json({ error: documents.map(({ title, reason }) => `${title}: ${reason}`).join(" "), documents }, 400);
    })
    .get("/documents", async (c) => c.json(await (await inboxFor(c)).list(await scopeOf(c), c.req.query("after"))))
    .get("/documents/:id{.+}", async (c) => {
      const id = c.req.param("id");
      const document = await (await inboxFor(c)).about(id, await scopeOf(c));
      if (!document) throw gone(id);
      return c.json(document);
    })
    .delete("/documents/:id{.+}", async (c) => {
      const id = c.req.param("id");
      if (!(await (await inboxFor(c)).remove(id, await scopeOf(c)))) throw gone(id);
      return c.json({ ok: true });
    });
}

/** @throws UsageError if a field is unknown, is not JSON, or cannot be stored. */
function fieldsIn(given: ReadonlyMap<string, string>) {
  const parsed = [...given].map(([name, text]) => [name, TEXTS.has(name) ? text : jsonOf(text, name)]);
  const fields = UploadFields.parse(Object.fromEntries(parsed));
  return { ...fields, metadata: metadataFrom(fields.metadata) };
}

/** The fields that are no JSON. */
const TEXTS: ReadonlySet<string> = new Set(["id", "collection"]);

/** Returns the conditions of a scope that a client decides about when it sends documents. A collection may have readers. */
const decidedIn = (into: Collection | undefined, scope: Filter): Filter =>
  into?.readers ? scope.filter(({ key }) => metadataKey(key) !== READERS) : scope;

/**
 * Returns what documents state in a collection or, on a server with collections, in none: which one it is, and who may read
 * them. The collection says that, or else the client, and never a file.
 * @throws UsageError as `statedWithin` does, or if the client states what it may not.
 */
function placed(metadata: Metadata, readers: Filter, into: Collection | undefined, scope: Filter): Metadata {
  const keys = [...Object.keys(metadata), ...readers.map(({ key }) => metadataKey(key))];
  if (keys.includes(COLLECTION))
    throw new UsageError("Name the collection in the field `collection`, not in `metadata` or `scope`.");
  if (into?.readers && keys.includes(READERS))
    throw new UsageError(`The collection ${into.title} says who may read its documents: leave \`readers\` out.`);
  return {
    // A key without a value is not stored, also if the file states one.
    [READERS]: "",
    // A scope may also decide by the collection.
    ...statedWithin({ ...metadata, [COLLECTION]: into?.name ?? "" }, readers, decidedIn(into, scope)),
    ...(into?.readers && { [READERS]: into.readers.join("\n") }),
  };
}

const namedBy =
  ({ refusalOf }: Inbox) =>
  (given: string) => {
    const name = fileNameOf(given);
    return { name, refused: refusalOf(name) };
  };

/** Forms that arrive at the same time; others wait for their turn. */
const MOST_FORMS = 8;

const NO_RIGHT =
  "You may not add or delete documents. Operators may, and those whose token is in EMEND_UPLOAD_TOKENS (docs/serve.md).";

const gone = (id: string) => new HTTPException(404, { message: `There is no document ${id}.` });
