import { parsedJson } from "../../text/decode.js";
import type { Database, Row, SqlQuery, Value, Writing } from "../store/port.js";
import { type Unread, Upload, type Uploads } from "./port.js";

/** Keeps uploads in a store. Only `add` creates one. Does not close the database. */
export function sqlUploads(database: Database): Uploads {
  const { isOneOf } = database.dialect;
  const read = async (query: SqlQuery): Promise<Row[]> => (await database.read([query]))[0] ?? [];
  const write = async (sql: string, values: readonly Value[]): Promise<Row[]> =>
    (await database.exists()) ? database.write((to) => to.all(sql, values)) : [];

  return {
    add: (upload, owner, until, replaced = "") =>
      database.write(async (to: Writing) => {
        const { documentId, state, file, ...rest } = upload;
        await to.lock(`upload ${documentId}`);
        await to.all("DELETE FROM emend.uploads WHERE document = $1 AND file = $2", [documentId, replaced]);
        const [other] = await to.all("SELECT n FROM emend.uploads WHERE document = $1", [documentId]);
        if (other) return false;
        const row = { document: documentId, file, state, owner, owned_until: until, record: JSON.stringify(rest) };
        await to.insert("emend.uploads", [row]);
        return true;
      }),
    get: async (documentIds) =>
      (
        await read({ sql: `SELECT * FROM emend.uploads WHERE ${isOneOf("document", "$1")}`, values: [documentIds] })
      ).flatMap(uploadIn),
    list: async (states) =>
      (
        await read({ sql: `SELECT * FROM emend.uploads WHERE ${isOneOf("state", "$1")} ORDER BY n`, values: [states] })
      ).flatMap(uploadIn),
    async claim(upload, owner, until) {
      const claimed = await write(
        `UPDATE emend.uploads SET state = 'reading', owner = $1, owned_until = $2
          WHERE document = $3 AND file = $4 AND owner = $5 AND owned_until = $6 RETURNING n`,
        [owner, until, upload.documentId, upload.file, upload.owner, upload.ownedUntil],
      );
      return claimed.length > 0;
    },
    async renew(owner, until) {
      await write(
        "UPDATE emend.uploads SET owned_until = $2 WHERE owner = $1 AND state IN ('waiting', 'reading') RETURNING n",
        [owner, until],
      );
    },
    async settle({ documentId, file }, from, to, reason = "") {
      const settled = await write(
        "UPDATE emend.uploads SET state = $1, reason = $2 WHERE document = $3 AND file = $4 AND state = $5 RETURNING n",
        [to, reason, documentId, file, from],
      );
      return settled.length > 0;
    },
    async remove({ documentId, file }) {
      await write("DELETE FROM emend.uploads WHERE document = $1 AND file = $2 RETURNING n", [documentId, file]);
    },
  };
}

/** A damaged row is left out. */
function uploadIn({ document, file, state, reason, owner, owned_until, record }: Row): Unread[] {
  const rest = parsedJson(`${record}`);
  const { data } = Upload.safeParse({ ...(rest as object), documentId: document, file, state, reason });
  return data ? [{ ...data, owner: `${owner}`, ownedUntil: Number(owned_until) }] : [];
}
