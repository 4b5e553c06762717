import { createHash } from "node:crypto";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { StoreUnavailableError, UsageError } from "../errors.js";
import type { Tools } from "../state/tools.js";
import type { Documents } from "../tools/documents/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import { Filter, meets } from "../types/filter.js";

/** What one caller may see: the conditions that documents have to meet, or "all". An empty list matches nothing. */
export type Scope = Filter | "all";

/**
 * Says what the caller of a run may see. It runs on the server at every step. Trust only
 * `configurable.langgraph_auth_user`, which a LangGraph server sets after its own authentication: a client can send
 * everything else.
 */
export type ScopeOf = (config: LangGraphRunnableConfig) => Scope | Promise<Scope>;

/** The scope that a LangGraph server's authentication gave the user as `emend_scope`; "all" if it gave none. */
export const scopeOfUser: ScopeOf = ({ configurable }) => {
  const user: unknown = configurable?.langgraph_auth_user;
  const given = typeof user === "object" && user !== null && "emend_scope" in user ? user.emend_scope : "all";
  return given as Scope;
};

/**
 * Returns the conditions of a run's scope, and its name: a hash that does not reveal them, or empty for "all".
 * @throws UsageError if the scope is neither "all" nor conditions.
 */
export async function scopeIn(config: LangGraphRunnableConfig, scopeOf: ScopeOf) {
  const scope: unknown = await scopeOf(config);
  if (scope === "all") return { name: "", filter: [] };
  const parsed = Filter.safeParse(scope);
  if (!parsed.success)
    throw new UsageError(
      'The scope of this user cannot be read. It is "all", or conditions such as [{ key: "department", values: ["hr"] }].',
    );
  const filter = parsed.data.length > 0 ? parsed.data : NOTHING;
  return { name: createHash("sha256").update(JSON.stringify(filter)).digest("hex").slice(0, 32), filter };
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
});

function documentsWithin(documents: Documents, filter: Filter): Documents {
  const seen = <T extends { metadata?: Parameters<typeof meets>[0] }>(found: readonly T[]) =>
    found.filter(({ metadata }) => meets(metadata, filter));
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
