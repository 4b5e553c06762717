import { z } from "zod";
import type { Agent } from "../agent.js";
import type { CollectionSettings } from "../collections.js";
import { UsageError } from "../errors.js";
import { restricted } from "../graph/scope.js";
import { type Context, type ContextInput, contextOf, only as given } from "../state/context.js";
import type { Tools } from "../state/tools.js";
import type { Reference } from "../types/answer.js";
import type { AgentEvent } from "../types/events.js";
import { type Filter, meets } from "../types/filter.js";
import { COLLECTION, metadataKey, READERS } from "../types/metadata.js";

/** A collection that a caller may choose. */
export interface Collection {
  name: string;
  title: string;
  description: string;
  context: Omit<ContextInput, "filter">;
  /** Absent if each of its documents has its own. */
  readers?: readonly string[] | undefined;
}

type Settings = Readonly<Record<string, CollectionSettings>>;

/** Returns all collections, with what is left out of their settings. */
export const collectionsIn = (settings: Settings): Collection[] =>
  Object.entries(settings).map(([name, { title = name, description = "", context = {}, readers }]) => ({
    ...{ name, title, description, context },
    ...(readers && { readers }),
  }));

/** Returns the collections that a caller may choose, in the order in which they are set. */
export type ShownTo = (who: Record<string, unknown>) => Promise<readonly Collection[]>;

/**
 * Decides by the conditions on `collection` and on `readers` in the caller's scope. Without such conditions, every
 * collection is shown. With one on `readers`, a collection without readers of its own is shown to those who see a document
 * of it.
 */
export function collectionsFor(agent: Agent, settings: Settings): ShownTo {
  const all = collectionsIn(settings);
  return async (who) => {
    if (all.length === 0) return [];
    const scope = await agent.scopeFor(who);
    if (scope.some(({ values, not = false }) => !not && values.length === 0)) return [];
    const on = (wanted: string) => scope.filter(({ key }) => metadataKey(key) === wanted);
    const within = all.filter(({ name }) => meets({ [COLLECTION]: name }, on(COLLECTION)));
    const conditions = on(READERS);
    if (conditions.length === 0) return within;
    const { documents } = await agent.toolsFor(who);
    const isShown = await Promise.all(
      within.map(async ({ name, readers }) =>
        readers
          ? meets({ [READERS]: readers.join("\n") }, conditions)
          : ((await documents.contents?.(1, { filter: inAny([name]) })) ?? []).length > 0,
      ),
    );
    return within.filter((_, i) => isShown[i]);
  };
}

/** As a client names them. */
export const CollectionNames = z
  .union([z.string(), z.array(z.string()).min(1).max(100)])
  .optional()
  .describe("The collection, by its name, or several. Default: all documents that the client may see.");

/** What a question or a search is about. */
export interface Chosen {
  /** The collections that the caller may choose. */
  shown: readonly Collection[];
  /** Those that it has named; undefined for all documents. */
  named: readonly Collection[] | undefined;
}

/**
 * @param names as the client gives them.
 * @throws UsageError for a name that is not among those shown, whether or not there is such a collection.
 */
export function chosenFrom(shown: readonly Collection[], names: string | readonly string[] | undefined): Chosen {
  if (names === undefined) return { shown, named: undefined };
  const known = new Map(shown.map((one) => [one.name, one]));
  const named = [...new Set([names].flat())].map((name) => {
    const one = known.get(name);
    if (one) return one;
    const choice = shown.length > 0 ? `Choose from: ${[...known.keys()].join(", ")}.` : "You can choose none here.";
    throw new UsageError(`There is no collection ${JSON.stringify(name.slice(0, 100))}. ${choice}`);
  });
  return { shown, named };
}

const inAny = (names: readonly string[]): Filter => [{ key: COLLECTION, values: [...names] }];

/** The condition that documents have to meet; none for all. */
export const filterOf = ({ named }: Chosen): Filter => (named ? inAny(named.map(({ name }) => name)) : []);

/** Returns tools that find only what is in the chosen collections. */
export const toolsIn = (tools: Tools, chosen: Chosen): Tools =>
  chosen.named ? restricted(tools, filterOf(chosen)) : tools;

/**
 * Narrows a context to the chosen collections: their documents, and the limits of each. A question to all documents has the
 * limits of every collection that its caller may choose. What limits nothing, such as instructions, is that of a
 * collection which is chosen alone.
 */
export function within(ceiling: Context, chosen: Chosen): Context {
  const { shown, named } = chosen;
  const filter = [...filterOf(chosen)];
  const limited = [...(named ?? shown).map(({ context }) => context), { filter }].reduce<Context>(
    (allowed, context) => contextOf({ context }, allowed),
    ceiling,
  );
  const [only, ...others] = named ?? [];
  if (!only || others.length > 0) return limited;
  const { sources: _, web: _w, budget: _b, ...style } = only.context;
  const own = contextOf({ context: style });
  return { ...limited, ...given(own, style), prompts: { ...limited.prompts, ...given(own.prompts, style.prompts) } };
}

/** Puts the title of a collection in place of its name; removes the name of one that the caller may not choose. */
export function titled<Source extends { collection?: string | undefined }>(
  { collection, ...source }: Source,
  { shown }: Pick<Chosen, "shown">,
) {
  const title = shown.find(({ name }) => name === collection)?.title;
  return { ...source, ...(title && { collection: title }) } as Source;
}

/** The same in the sources of an event, or of an answer alone. */
export function titledIn<Told extends AgentEvent | { references: Reference[] }>(
  told: Told,
  chosen: Pick<Chosen, "shown">,
): Told {
  if ("answer" in told) return { ...told, answer: titledIn(told.answer, chosen) };
  if (!("references" in told)) return told;
  return { ...told, references: told.references.map((reference) => titled(reference, chosen)) };
}
