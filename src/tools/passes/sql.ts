import { createHash } from "node:crypto";
import { UsageError } from "../../errors.js";
import { check, exactly } from "../../options.js";
import { parsedJson } from "../../text/decode.js";
import { aDatabase, type Database, type Row, type SqlQuery } from "../store/port.js";
import { type ListedToken, Pass, type Passes } from "./port.js";

const Given = exactly({ database: aDatabase });

/** Keeps tokens and sessions in a store, which the first of them creates. Does not close the database. */
export function sqlPasses(database: Database): Passes {
  check(Given, { database });
  const read = async (query: SqlQuery): Promise<Row[]> => (await database.read([query]))[0] ?? [];

  /** Writes it once a day, in the background. What fails is tried again by the next use. */
  async function noteUse(hash: string, used: unknown): Promise<void> {
    const today = new Date().toISOString().slice(0, "2026-01-31".length);
    if (used === today) return;
    await database
      .write((to) => to.all("UPDATE emend.passes SET used = $1 WHERE hash = $2", [today, hash]))
      .catch(() => {});
  }

  return {
    addToken: (secret, name, pass, ends) =>
      database.write(async (to) => {
        await to.lock(`pass ${name}`);
        const same = await to.all("SELECT ends FROM emend.passes WHERE name = $1", [name]);
        if (same.some(isValid))
          throw new UsageError(
            `There is a token ${name}. Take another name, or end it first: emend token revoke ${name}`,
          );
        await to.all("DELETE FROM emend.passes WHERE name = $1", [name]);
        const row = { hash: hashOf(secret), name, ends: ends ?? null, used: "", record: JSON.stringify(pass) };
        await to.insert("emend.passes", [row]);
      }),
    addSession: (secret, pass, ends) =>
      database.write(async (to) => {
        await to.all("DELETE FROM emend.passes WHERE name = '' AND ends < $1", [Date.now()]);
        await to.insert("emend.passes", [
          { hash: hashOf(secret), name: "", ends, used: "", record: JSON.stringify(pass) },
        ]);
      }),
    async find(secret) {
      const hash = hashOf(secret);
      const [row] = await read({ sql: "SELECT * FROM emend.passes WHERE hash = $1", values: [hash] });
      if (!row || !isValid(row)) return undefined;
      const pass = passIn(row);
      if (pass?.kind === "token") void noteUse(hash, row.used);
      return pass;
    },
    async tokens() {
      const rows = await read({ sql: "SELECT * FROM emend.passes WHERE name <> '' ORDER BY name" });
      return rows.flatMap((row): ListedToken[] => {
        const pass = passIn(row);
        if (pass?.kind !== "token") return [];
        const ends = row.ends === null ? undefined : Number(row.ends);
        return [{ ...pass, name: `${row.name}`, ends, used: `${row.used}` }];
      });
    },
    revoke: async (name) => {
      if (name === "" || !(await database.exists())) return false;
      return database.write(async (to) => {
        await to.lock(`pass ${name}`);
        const rows = await to.all("SELECT ends FROM emend.passes WHERE name = $1", [name]);
        if (rows.some(isValid)) await to.all("UPDATE emend.passes SET ends = $2 WHERE name = $1", [name, Date.now()]);
        else await to.all("DELETE FROM emend.passes WHERE name = $1", [name]);
        return rows.length > 0;
      });
    },
    async endSession(secret) {
      if (await database.exists())
        await database.write((to) =>
          to.all("DELETE FROM emend.passes WHERE hash = $1 AND name = ''", [hashOf(secret)]),
        );
    },
  };
}

/** A secret is random, so a fast hash is enough: it cannot be guessed. */
const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");

const isValid = ({ ends }: Row) => ends === null || Number(ends) > Date.now();

/** Returns undefined if the row is damaged. */
const passIn = ({ record }: Row): Pass | undefined => Pass.safeParse(parsedJson(`${record}`)).data;
