import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CypherError, StoreUnavailableError } from "../../../src/errors.js";
import { type Neo4jConnection, neo4jConnection } from "../../../src/tools/neo4j/connection.js";
import { proxyTo } from "./proxy.js";
import { SERVER } from "./server.js";

/** A query that runs longer than any time limit. */
const ENDLESS = "UNWIND range(1, 100000000000) AS x RETURN sum(x)";

let proxy: Awaited<ReturnType<typeof proxyTo>>;
let connection: Neo4jConnection;
const one = async () => Number((await connection.read("RETURN 1 AS one"))[0]?.get("one"));

beforeEach(async () => {
  const { hostname, port } = new URL(SERVER.uri);
  proxy = await proxyTo({ host: hostname, port: Number(port) || 7687 });
  connection = neo4jConnection({ ...SERVER, uri: proxy.uri });
});
afterEach(async () => {
  await connection.close();
  await proxy.close();
});

describe("a connection to a real Neo4j", () => {
  test("works again after the server was down, without being reopened", async () => {
    expect(await one()).toBe(1);
    await proxy.cut();
    await expect(one()).rejects.toThrow(StoreUnavailableError);
    await proxy.restore();
    expect(await one()).toBe(1);
  });

  test("is not affected by a restart between two queries", async () => {
    expect(await one()).toBe(1);
    await proxy.cut();
    await proxy.restore();
    expect(await one()).toBe(1);
  });

  test("reports an unreachable server if it stops during a query, and recovers", async () => {
    const running = connection.read(ENDLESS);
    running.catch(() => {});
    await expect.poll(() => runningOn(ENDLESS)).toBe(1);
    await proxy.cut();
    await expect(running).rejects.toThrow(StoreUnavailableError);
    await proxy.restore();
    expect(await one()).toBe(1);
  });

  test("gives up on a server that falls silent, and works again once it answers", { timeout: 60_000 }, async () => {
    expect(await one()).toBe(1);
    proxy.silence();
    await expect(connection.read("RETURN 1", {}, { timeout: 500 })).rejects.toThrow(/did not answer|No Neo4j answers/);
    proxy.speak();
    await expect.poll(() => one().catch(() => 0), { timeout: 20_000 }).toBe(1);
  });

  test("releases the pooled connections of queries that hang", { timeout: 120_000 }, async () => {
    expect(await one()).toBe(1);
    proxy.silence();
    const hanging = Array.from({ length: 25 }, () => connection.read("RETURN 1", {}, { timeout: 500 }));
    for (const one of await Promise.allSettled(hanging))
      expect(one).toMatchObject({ status: "rejected", reason: { name: "StoreUnavailableError" } });
    proxy.speak();
    await expect.poll(() => one().catch(() => 0), { timeout: 20_000 }).toBe(1);
  });

  test("ends a query on the server when its time is up", async () => {
    const reading = connection.read(ENDLESS, {}, { timeout: 700 });
    await expect(reading).rejects.toThrow(CypherError);
    await expect(reading).rejects.toMatchObject({ repairable: false });
    expect(await runningOn(ENDLESS)).toBe(0);
  });

  test("ends a query on the server when aborted", async () => {
    const stop = new AbortController();
    const reading = connection.read(ENDLESS, {}, { signal: stop.signal });
    reading.catch(() => {});
    await expect.poll(() => runningOn(ENDLESS)).toBe(1);
    stop.abort(new Error("the user left"));
    await expect(reading).rejects.toThrow("the user left");
    await expect.poll(() => runningOn(ENDLESS)).toBe(0);
  });

  test("cannot write in read mode", async () => {
    await expect(connection.read("CREATE (n:ShouldNotBe) RETURN n")).rejects.toThrow(CypherError);
  });

  test("applies a write completely or not at all", async () => {
    const write = connection.write([{ cypher: "CREATE (:HalfDone)" }, { cypher: "RETURN 1 / 0" }]);
    await expect(write).rejects.toThrow(CypherError);
    expect(await connection.read("MATCH (n:HalfDone) RETURN n")).toEqual([]);
  });

  test("stops reading at the given number of rows", async () => {
    let seen = 0;
    const records = await connection.read("UNWIND range(1, 1000) AS x RETURN x", {}, { enough: () => ++seen === 3 });
    expect(records).toHaveLength(3);
  });

  test.each([
    ["a wrong password", { password: "wrong-p4ssword" }, /refuses the user/],
    ["a wrong database", { database: "nowhere" }, /no such database/],
  ])("explains what is wrong with %s without naming a password", async (_, wrong, said) => {
    const other = neo4jConnection({ ...SERVER, ...wrong });
    const error = await other.read("RETURN 1").catch((error: unknown) => error);
    await other.close();
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(String(error)).toMatch(said);
    const { message, stack, cause } = error as Error;
    const shown = `${message}${stack}${JSON.stringify(error)}`;
    for (const secret of [SERVER.password, "wrong-p4ssword"]) expect(shown).not.toContain(secret);
    expect(cause).toBeUndefined();
  });
});

/** How many transactions on the server run this query now, asked without the proxy. */
async function runningOn(cypher: string): Promise<number> {
  const direct = neo4jConnection(SERVER);
  const rows = await direct.read(
    "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery = $cypher RETURN currentQuery",
    {
      cypher,
    },
  );
  await direct.close();
  return rows.length;
}
