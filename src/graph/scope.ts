import { createHash } from "node:crypto";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { StoreUnavailableError, TableQueryError, UsageError } from "../errors.js";
import type { Tools } from "../state/tools.js";
import type { Documents } from "../tools/documents/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import type { Tables } from "../tools/tables/port.js";
import { Filter, meets } from "../types/filter.js";
import type { Scope } from "../types/user.js";

export type { Scope, User } from "../types/user.js";

/**
 * Says what the caller of a run may see. It runs on the server at every step. Trust only
 * `configurable.langgraph_auth_user`, which a LangGraph server sets after its own authentication: a client can send
 * everything else.
 */
export type ScopeOf = (config: LangGraphRunnableConfig) => Scope | Promise<Scope>;

/** @throws UsageError if there is a scope that is not a function: it would restrict nobody. */
export function scopeFrom(options: { scope?: ScopeOf }): ScopeOf | undefined {
  if (!("scope" in options) || typeof options.scope === "function") return options.scope;
  throw new UsageError(
    "`scope` is not a function. Give a function that returns what a caller may see, or leave it out.",
  );
}

/**
 * Returns the conditions of a run's scope, and its name: a hash that does not reveal them, or empty for "all". A caller
 * sees what meets both the function's scope and that of the user whom `configurable` names. Without a user, the function
 * decides alone; without a function either, everything is seen.
 * @throws UsageError if a scope is neither "all" nor conditions, or if there is no function and somebody is named who is
 * not a `User`. What the function throws.
 */
export async function scopeIn(config: LangGraphRunnableConfig, scopeOf: ScopeOf | undefined) {
  const { configurable = {} } = config;
  const user: unknown = configurable.langgraph_auth_user;
  // A function may decide by other fields of the user.
  const needsUser = scopeOf === undefined && "langgraph_auth_user" in configurable;
  if (needsUser) identityOf(user);
  const own = typeof user === "object" && user !== null && "emend_scope" in user ? [user.emend_scope] : [];
  const stated = [...(scopeOf ? [await scopeOf(config)] : []), ...(needsUser && own.length === 0 ? [undefined] : own)];
  const filter = stated.flatMap(conditionsOf);
  const name =
    filter.length === 0 ? "" : createHash("sha256").update(JSON.stringify(filter)).digest("hex").slice(0, 32);
  return { name, filter };
}

/** @throws UsageError unless the user is an object with an `identity` that is a text and not blank. */
export function identityOf(user: unknown): string {
  const identity = typeof user === "object" && user !== null && "identity" in user ? user.identity : undefined;
  if (typeof identity === "string" && identity.trim() !== "") return identity;
  throw new UsageError("Whoever asks is not known: a user is an object with an `identity` that is not blank.");
}

function conditionsOf(scope: unknown): Filter {
  if (scope === "all") return [];
  const { data } = Filter.safeParse(scope);
  if (!data)
    throw new UsageError(
      'The scope of this user is missing or cannot be read. It is "all", or conditions such as [{ key: "department", values: ["hr"] }].',
    );
  const isWhole = data.length > 0 && data.every(({ values }) => values.some((value) => value.trim() !== ""));
  return isWhole ? data : NOTHING;
}

const NOTHING: Filter = [{ key: "nothing", values: [] }];

/**
 * Returns tools that find only what meets a filter. The filter is applied again to what an adapter returns, so an
 * adapter that ignores filters returns too little rather than too much.
 */
export const restricted = (tools: Tools, filter: Filter): Tools => ({
  ...tools,
  documents: documentsWithin(tools.documents, filter),
  ...(tools.knowledge && { knowledge: factsWithin(tools.knowledge, filter) }),
  ...(tools.tables && { tables: tablesWithin(tools.tables, filter) }),
});

const meeting = <T extends { metadata?: Parameters<typeof meets>[0] }>(found: readonly T[], filter: Filter) =>
  found.filter(({ metadata }) => meets(metadata, filter));

function documentsWithin(documents: Documents, filter: Filter): Documents {
  const seen = <T extends Parameters<typeof meeting>[0][number]>(found: readonly T[]) => meeting(found, filter);
  const { heads } = documents;
  const refused = async () => {
    throw new StoreUnavailableError("A run that sees only some of the documents cannot change any.");
  };
  return {
    search: async (query, ...rest) =>
      seen(await documents.search({ ...query, filter: [...filter, ...(query.filter ?? [])] }, ...rest)),
    get: async (ids) => seen(await documents.get(ids, { filter })),
    neighbours: async (id, distance) => seen(await documents.neighbours(id, distance, { filter })),
    ...(documents.find && {
      find: async (words, limit, { filter: own = [], ...options } = {}) =>
        seen((await documents.find?.(words, limit, { ...options, filter: [...filter, ...own] })) ?? []),
    }),
    ...(documents.open && {
      open: async (id, { filter: own = [], ...options } = {}) =>
        seen((await documents.open?.(id, { ...options, filter: [...filter, ...own] })) ?? []),
    }),
    ...(documents.contents && {
      contents: async (limit, { filter: own = [], ...options } = {}) =>
        seen((await documents.contents?.(limit, { ...options, filter: [...filter, ...own] })) ?? []),
    }),
    // A document that the caller may not see supersedes nothing, since the answer would name it.
    ...(heads && { heads: async () => seen(await heads()) }),
    isEmpty: () => documents.isEmpty(),
    list: async () => [],
    upsert: refused,
    remove: refused,
    close: async () => {},
  };
}

/** Has no `query`, since a query could read anything. */
function factsWithin(knowledge: KnowledgeGraph, filter: Filter): KnowledgeGraph {
  const refused = async () => {
    throw new StoreUnavailableError("A run that sees only some of the graph cannot change it.");
  };
  return {
    schema: (options) => knowledge.schema(options),
    async facts(entities, question, options) {
      const found = await knowledge.facts(entities, question, { ...options, filter });
      return found.filter(({ source }) => source && meets(source.metadata, filter));
    },
    sources: async () => [],
    upsert: refused,
    remove: refused,
    close: async () => {},
  };
}

function tablesWithin(tables: Tables, filter: Filter): Tables {
  const both = <O extends { filter?: Filter }>(options?: O) => ({
    ...options,
    filter: [...filter, ...(options?.filter ?? [])],
  });
  return {
    search: async (question, limit, options) => meeting(await tables.search(question, limit, both(options)), filter),
    heads: async (ids, options) => meeting(await tables.heads(ids, both(options)), filter),
    get: async (ids, options) => meeting(await tables.get(ids, both(options)), filter),
    async query(sql, ids, options) {
      const seen = new Set(meeting(await tables.heads(ids, both(options)), filter).map(({ id }) => id));
      if (!ids.every((id) => seen.has(id)))
        throw new TableQueryError("One of these tables is not among those that this run may see.", false);
      return tables.query(sql, ids, both(options));
    },
  };
}
