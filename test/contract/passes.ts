import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import { sqlPasses } from "../../src/tools/passes/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";

const TOKEN = {
  kind: "token" as const,
  scope: [{ key: "department", values: ["hr"] }],
  mayUpload: true,
  isOperator: false,
};
const SESSION = { kind: "session" as const, provider: "p", issuer: "i", claims: { sub: "ada" }, idToken: "t" };
const soon = () => Date.now() + 60_000;
const past = () => Date.now() - 1;

/** What tokens and sessions in a store promise. */
export function sqlPassesContract(name: string, newPlace: () => Promise<string>) {
  describe(`${name} keeps the promises of Passes`, () => {
    const opened = async () => {
      const database = openDatabase(await newPlace());
      return { database, passes: sqlPasses(database), [Symbol.asyncDispose]: () => database.close() };
    };

    test("finds nothing, lists nothing and revokes nothing in a store that does not exist yet", async () => {
      await using one = await opened();
      const { passes } = one;
      expect([await passes.find("s"), await passes.tokens(), await passes.revoke("t")]).toEqual([undefined, [], false]);
      await passes.endSession("s");
    });

    test("finds a token by its secret, for another program too, and keeps no secret", async () => {
      await using one = await opened();
      const { database, passes } = one;
      await passes.addToken("the secret", "intranet", TOKEN, soon());
      expect(await sqlPasses(database).find("the secret")).toEqual(TOKEN);
      expect(await passes.find("another")).toBeUndefined();
      expect(await passes.find("intranet")).toBeUndefined();
      expect(JSON.stringify(await database.read([{ sql: "SELECT * FROM emend.passes" }]))).not.toContain("the secret");
    });

    test("a token that was revoked or has ended is found no more, and listed until it is revoked again", async () => {
      await using one = await opened();
      const { passes } = one;
      await passes.addToken("a", "revoked", TOKEN);
      await passes.addToken("b", "ended", TOKEN, past());
      await passes.addToken("c", "valid", TOKEN);
      expect(await passes.revoke("revoked")).toBe(true);
      expect([await passes.find("a"), await passes.find("b"), await passes.find("c")]).toEqual([
        undefined,
        undefined,
        TOKEN,
      ]);
      expect((await passes.tokens()).map(({ name }) => name)).toEqual(["ended", "revoked", "valid"]);
      expect(await passes.revoke("revoked")).toBe(true);
      expect(await passes.revoke("revoked")).toBe(false);
      expect((await passes.tokens()).map(({ name, ends }) => [name, ends === undefined])).toEqual([
        ["ended", false],
        ["valid", true],
      ]);
    });

    test("a name is free again once its token has ended", async () => {
      await using one = await opened();
      const { passes } = one;
      await passes.addToken("a", "intranet", TOKEN);
      await expect(passes.addToken("b", "intranet", TOKEN)).rejects.toThrow(UsageError);
      await passes.revoke("intranet");
      await passes.addToken("b", "intranet", TOKEN);
      expect([await passes.find("a"), await passes.find("b")]).toEqual([undefined, TOKEN]);
    });

    test("notes the day of a token's last use", async () => {
      await using one = await opened();
      const { passes } = one;
      await passes.addToken("a", "intranet", TOKEN);
      expect((await passes.tokens())[0]?.used).toBe("");
      await passes.find("a");
      await expect.poll(async () => (await passes.tokens())[0]?.used).toMatch(/^\d{4}-\d\d-\d\d$/);
    });

    test("a session ends when its time is over, or when it is ended, and is no token", async () => {
      await using one = await opened();
      const { passes } = one;
      await passes.addSession("a", SESSION, soon());
      await passes.addSession("b", SESSION, past());
      expect([await passes.find("a"), await passes.find("b"), await passes.tokens()]).toEqual([SESSION, undefined, []]);
      expect(await passes.revoke("")).toBe(false);
      await passes.endSession("a");
      expect(await passes.find("a")).toBeUndefined();
    });

    test("whoever has the name or the hash of a token ends no session, and the other way round", async () => {
      await using one = await opened();
      const { passes } = one;
      await passes.addToken("a", "intranet", TOKEN);
      await passes.endSession("a");
      expect(await passes.find("a")).toEqual(TOKEN);
    });

    test("a record that is damaged lets nobody in", async () => {
      await using one = await opened();
      const { database, passes } = one;
      await passes.addToken("a", "intranet", TOKEN);
      for (const record of ["", "{", "{}", '{"kind":"token"}', '{"kind":"token","scope":"ALL"}']) {
        await database.write((to) => to.all("UPDATE emend.passes SET record = $1", [record]));
        expect(await passes.find("a")).toBeUndefined();
      }
    });
  });
}
