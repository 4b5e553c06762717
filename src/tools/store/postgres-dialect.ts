import { StoreUnavailableError, toError } from "../../errors.js";
import { withoutPassword } from "../../text/address.js";
import { type Dialect, LANGUAGES, type NearestQuery, type SqlQuery, type Value } from "./port.js";

export const postgresDialect: Dialect = {
  isOneOf: (column, parameter) => `${column} = ANY(${parameter})`,

  matching({ table, terms, limit, where, usualLength = 0 }) {
    const values: Value[] = [...(where?.values ?? [])];
    const parameter = (value: Value) => `$${values.push(value)}`;
    // A term's weight if a row has it, however often, and less in a long one: BM25 with the rest of it left to the caller.
    const worth = terms
      .slice(0, MOST_WEIGHED)
      .map(
        ({ term, weight }) =>
          `CASE WHEN t.words @@ ${parameter(quoted(term))}::tsquery THEN ${weight.toFixed(6)} ELSE 0 END`,
      );
    const length = usualLength > 0 ? `1.3 + 0.9 * length(t.words) / ${(DISTINCT * usualLength).toFixed(3)}` : "1";
    const match = `t.words @@ ${parameter(terms.map(({ term }) => quoted(term)).join(" | "))}::tsquery`;
    return {
      sql: `SELECT t.n FROM emend.${table} t WHERE ${match} ${where ? `AND ${where.sql}` : ""}
        ORDER BY (${worth.join(" + ")}) / (${length}) DESC, length(t.words), t.n LIMIT ${parameter(limit)}`,
      values,
    };
  },

  addingUp: "",
  keeping: "FOR KEY SHARE",
  cosine: (column, parameter) => `-(${column} <#> ${parameter}::halfvec)`,
  question: asText,
  stored: asText,
  read: (stored) => (typeof stored === "string" ? (JSON.parse(stored) as number[]) : []),
};

/** Of a long query the rarest terms decide. */
const MOST_WEIGHED = 24;
/** Of the terms of a passage so many are different. */
const DISTINCT = 0.6;

/** In quotes only the quote and the backslash have a meaning. */
const quoted = (term: string) => `'${term.replace(/['\\]/g, "$&$&")}'`;

function asText(vector: readonly number[]): string {
  return `[${vector.map((x) => Number(x.toPrecision(6))).join(",")}]`;
}

/** Writes a search for the nearest as one statement: each language by its own index, if it has one. */
export function nearestStatement({ sql, values = [], nearest }: NearestQuery): Required<SqlQuery> {
  const { model, vector, limit, among } = nearest;
  const all: Value[] = [...values, asText(vector)];
  const type = `halfvec(${vector.length})`;
  // Through an index those that meet a filter may be missed, so then all are compared.
  const distance = `embedding::${type} <#> $${all.length}::${type}`;
  const order = among ? `(${distance}) + 0` : distance;
  const from = all.length;
  const met = among ? `AND stated IN (${among.sql.replace(/\$(\d+)/g, (_, n) => `$${Number(n) + from}`)})` : "";
  all.push(...(among?.values ?? []));
  const each = LANGUAGES.map(
    (language) => `(SELECT passage AS n, -(${distance}) AS cosine FROM emend.vectors
      WHERE model = ${model} AND language = '${language}' ${met} ORDER BY ${order} LIMIT ${limit})`,
  );
  return { sql: `WITH nearest AS (${each.join(" UNION ALL ")}) ${sql}`, values: all };
}

/** Returns what Postgres or the network said as one line that says what to do. The password is left out. */
export function postgresError(error: unknown, address: string): Error {
  if (error instanceof StoreUnavailableError) return error;
  const { message } = toError(error);
  const code = typeof error === "object" && error !== null && "code" in error ? `${error.code}` : "";
  const why =
    REMEDIES.find(([told]) => told.test(code) || told.test(message))?.[1] ??
    `${message.replace(/\s+/g, " ").replace(/\.$/, "")}. Check the address and the server's log.`;
  return new StoreUnavailableError(`No store at ${withoutPassword(address)}: ${why}`, { cause: error });
}

/** By Postgres's codes (its documentation, appendix A), those of the network, and what the client says by itself. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^28P01$/, "it refuses this user or password. Check both in EMEND_STORE."],
  [/^28000$/, "it lets this user in from elsewhere only. See pg_hba.conf, or name another user."],
  [/^3D000$/, "there is no such database. Create it with createdb, or name another one."],
  [
    /^42501$/,
    "this user has no right to that. To make the tables: GRANT CREATE ON DATABASE … TO …. To use them: rights on those of the schema emend.",
  ],
  [/not currently accepting connections/, "it takes no connections at present. Try again, or ask who runs it."],
  [
    /^(?:58P01|0A000)$|extension "vector"/,
    "it has no pgvector. Install the extension vector, or ask who runs it for: CREATE EXTENSION vector",
  ],
  [/^(?:57014)$/, "the query took too long and was ended. Try again, or look at what else the server does."],
  [/^(?:40P01|40001)$/, "others wrote the same at the same time. Try again."],
  [/^53300$/, "it has no connection left. Raise its max_connections, or run fewer servers."],
  [/^53100$/, "its disk is full. Make room there; what was stored before is untouched."],
  [/^25006$/, "it is a replica, which takes no writes. Name the primary server."],
  [/^(?:ECONNREFUSED|ENOENT)$/, "nothing listens there. Is the server running?"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "no machine has this name. Check the address."],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$|timeout/i,
    "it does not answer in time. Is it running, and can it be reached?",
  ],
  [
    /^(?:57P0[123]|ECONNRESET|EPIPE)$|^Connection terminated|^Client has encountered/,
    "it ended the connection. Is it being restarted? Try again.",
  ],
  [/does not support SSL/, "it speaks no TLS. Leave sslmode out, or set it up there."],
  [
    /password must be a string/,
    "it asks for a password. Put one into the address: postgres://user:password@host/database",
  ],
];
