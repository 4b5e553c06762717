import type { Dialect, Value } from "./port.js";
import { packed, unpacked } from "./signs.js";

export const sqliteDialect: Dialect = {
  isOneOf: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,

  matching({ table, terms, limit, where }) {
    const values: Value[] = [...(where?.values ?? [])];
    // In quotes nothing but the quote has a meaning.
    values.push(terms.map(({ term }) => `"${term.replaceAll('"', '""')}"`).join(" OR "), limit);
    const [match, most] = [values.length - 1, values.length];
    const join = where ? `JOIN ${table} t ON t.n = f.rowid` : "";
    return {
      sql: `SELECT f.rowid AS n FROM ${table}_terms f ${join}
        WHERE ${table}_terms MATCH $${match} ${where ? `AND ${where.sql}` : ""} ORDER BY f.rank LIMIT $${most}`,
      values,
    };
  },

  addingUp: `ON CONFLICT (term) DO UPDATE SET passages = passages + excluded.passages, length = length + excluded.length`,

  keeping: "",
  cosine: (column, parameter) => `cosine(${column}, ${parameter})`,
  question: (vector) => new Uint8Array(new Float32Array(vector).buffer),
  stored: packed,

  read(stored) {
    if (!(stored instanceof Uint8Array)) return [];
    const { values, scale } = unpacked(stored);
    return Array.from(values, (value) => value * scale);
  },
};
