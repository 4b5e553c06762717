import { StoreUnavailableError, toError } from "../../errors.js";
import { withoutPassword } from "../../text/address.js";
import { type Dialect, LANGUAGES, type NearestQuery, type SqlQuery, type Value } from "./port.js";

export const postgresDialect: Dialect = {
  isOneOf: (column, parameter) => `${column} = ANY(${parameter})`,

  matching({ table, terms, limit, where, usualLength = 0 }) {
    const values: Value[] = [...(where?.values ?? [])];
    const parameter = (value: Value) => `$${values.push(value)}`;
    const quotedTerms = parameter(terms.map(({ term }) => quoted(term)));
    const weights = parameter(terms.map(({ weight }) => weight.toFixed(6)));
    // BM25 without term frequencies, which the caller counts: the weights of the terms in a row, less for a long row. The
    // index alone finds the rows of each term, since reading the words of a row takes longer than all the rest.
    const length = usualLength > 0 ? `1.3 + 0.9 * t.size / ${(DISTINCT * usualLength).toFixed(3)}` : "1";
    return {
      sql: `SELECT t.n FROM unnest(${quotedTerms}::text[], ${weights}::float8[]) AS q (term, weight)
        JOIN emend.${table} t ON t.words @@ q.term::tsquery ${where ? `AND ${where.sql}` : ""}
        GROUP BY t.n, t.size ORDER BY sum(q.weight) / (${length}) DESC, t.size, t.n LIMIT ${parameter(limit)}`,
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

/** The usual share of distinct terms among the terms of a passage. */
const DISTINCT = 0.6;

/** Quotes a term. Only the quote and the backslash are special inside quotes. */
const quoted = (term: string) => `'${term.replace(/['\\]/g, "$&$&")}'`;

function asText(vector: readonly number[]): string {
  return `[${vector.map((x) => Number(x.toPrecision(6))).join(",")}]`;
}

/** Writes a search for the nearest as one statement. Each language uses its own index, if it has one. */
export function nearestStatement({ sql, values = [], nearest }: NearestQuery): Required<SqlQuery> {
  const { model, vector, limit, among } = nearest;
  const all: Value[] = [...values, asText(vector)];
  const type = `halfvec(${vector.length})`;
  // An index may miss rows that meet a filter. With a filter, `+ 0` keeps it from being used, so that all are compared.
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

/** Turns an error of Postgres or the network into one line that says what to do. The password is left out. */
export function postgresError(error: unknown, address: string): Error {
  if (error instanceof StoreUnavailableError) return error;
  const { message } = toError(error);
  const code = errorCodeIn(error);
  const why =
    REMEDIES.find(([told]) => told.test(code) || told.test(message))?.[1] ??
    `${message.replace(/\s+/g, " ").replace(/\.$/, "")}. Check the address and the server's log.`;
  return new StoreUnavailableError(`No store at ${withoutPassword(address)}: ${why}`, { cause: error });
}

/** Returns the code of an error of Postgres or the network; empty if it has none. */
export const errorCodeIn = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? `${error.code}` : "";

/** By error codes of Postgres (its documentation, appendix A) and of the network, and by messages of the client. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^28P01$/, "it refuses this user or password. Check both in EMEND_STORE."],
  [/^28000$/, "it does not let this user in from here. See pg_hba.conf, or name another user."],
  [/^3D000$/, "there is no such database. Create it with createdb, or name another one."],
  [
    /^42501$/,
    "this user has no right to that. To create the tables: GRANT CREATE ON DATABASE … TO …. To use them: rights on the tables of the schema emend.",
  ],
  [/not currently accepting connections/, "it accepts no connections at present. Try again, or ask its administrator."],
  [
    /^(?:58P01|0A000)$|extension "vector"/,
    "it has no pgvector. Install the extension, or ask its administrator to run: CREATE EXTENSION vector",
  ],
  [/^(?:57014)$/, "the query took too long and was cancelled. Try again, or check the load of the server."],
  [/^(?:40P01|40001)$/, "others changed the same data at the same time. Try again."],
  [/^53300$/, "it has no connections left. Raise its max_connections, or run fewer servers."],
  [/^53100$/, "its disk is full. Free some space there; what was stored before is untouched."],
  [/^25006$/, "it is a read-only replica. Name the primary server."],
  [/^(?:ECONNREFUSED|ENOENT)$/, "nothing listens there. Is the server running?"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "there is no host with this name. Check the address."],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$|timeout/i,
    "it does not answer in time. Is it running, and can it be reached?",
  ],
  [
    /^(?:57P0[123]|ECONNRESET|EPIPE)$|^Connection terminated|^Client has encountered/,
    "it ended the connection. Is it being restarted? Try again.",
  ],
  [/does not support SSL/, "it does not support TLS. Leave out sslmode, or set up TLS there."],
  [
    /password must be a string/,
    "it asks for a password. Add one to the address: postgres://user:password@host/database",
  ],
];
