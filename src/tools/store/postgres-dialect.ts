import type { Dialect, NearestQuery, SqlQuery, Value } from "./port.js";
import { LANGUAGES } from "./port.js";

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
