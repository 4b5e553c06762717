import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { About as AboutDocuments, CollectionForm, type CollectionSettings, collectionsOf } from "../collections.js";
import type { Settings } from "../config.js";
import { cannotBe, UsageError } from "../errors.js";
import { faultsIn } from "../options.js";
import { type Chosen, chosenFrom, collectionsIn, within } from "../server/collections.js";
import { type ContextInput, contextOf } from "../state/context.js";
import { decode, jsonOf } from "../text/decode.js";
import type { Condition } from "../types/filter.js";
import { folderOfIds, settingsOf } from "./open.js";
import type { Options } from "./options.js";

/** What `emend.json` says of the documents. */
interface About {
  title?: string;
  description?: string;
  collections: Record<string, CollectionSettings>;
}

/**
 * Reads `emend.json` in the current folder, or else beside the store: programs such as editors start emend anywhere.
 * @throws UsageError if the file is invalid.
 */
export async function aboutDocuments(settings: Settings): Promise<About> {
  const file = ["emend.json", join(folderOfIds(settings), "emend.json")].find((path) => existsSync(path));
  if (file === undefined) return { collections: {} };
  const parsed = Project.safeParse(jsonOf(decode(await readFile(file).catch(cannotBe("read", file))), file));
  if (!parsed.success) throw new UsageError(`${file}: ${faultsIn(parsed.error, "it")}`);
  const { title, description, collections = {} } = parsed.data;
  const named = Object.entries(collections).map(([name, { sources: _, ...rest }]) => [name, rest]);
  return { ...(title && { title }), ...(description && { description }), collections: Object.fromEntries(named) };
}

/**
 * The part of `emend.json` that questions need. What else is in it is checked where it is used, by code that takes half a
 * second to load.
 */
const Project = z.looseObject({
  ...AboutDocuments.shape,
  collections: collectionsOf(CollectionForm.extend({ sources: z.unknown() })).optional(),
});

/**
 * Returns what is asked: the collections that `--collection` names, or all documents.
 * @throws UsageError for a name that is not among those in `emend.json`.
 */
export async function chosenBy(options: Options): Promise<Chosen> {
  const { collections } = await aboutDocuments(settingsOf(options));
  const names = options.collection?.split(/[,，]/).map((name) => name.trim());
  if (names && Object.keys(collections).length === 0) throw new UsageError(NO_COLLECTIONS);
  return chosenFrom(collectionsIn(collections), names);
}

const NO_COLLECTIONS =
  "No emend.json with collections is here or beside the store. Run this in its folder, or leave out --collection.";

/** Returns the context of a question: as the server's for the same collections, and then what the command line asks for. */
export function contextFor(
  agent: Agent,
  chosen: Chosen,
  where: readonly Condition[] | undefined,
  rest: ContextInput = {},
): ContextInput {
  const given = { ...rest, ...(where && { filter: [...where] }) };
  if (chosen.shown.length === 0) return given;
  return contextOf({ context: given }, within(contextOf({ context: agent.context }), chosen));
}
