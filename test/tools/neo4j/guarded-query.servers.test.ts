import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CypherError } from "../../../src/errors.js";
import type { QueryResult } from "../../../src/tools/knowledge/port.js";
import { neo4jKnowledge } from "../../../src/tools/neo4j/knowledge.js";
import type { GraphRow } from "../../../src/types/knowledge.js";
import { MOVIES } from "./graphs.js";
import { connect, wipe } from "./server.js";

const connection = connect();
const graph = neo4jKnowledge({ connection });
const query = async (cypher: string, parameters: GraphRow = {}): Promise<QueryResult> => {
  const result = await graph.query?.(cypher, parameters);
  if (!result) throw new Error("Neo4j runs queries");
  return result;
};

beforeAll(async () => {
  await wipe(connection);
  const [text, list] = ["长".repeat(20_000), Array.from({ length: 5_000 }, (_, i) => `第${i + 1}`)];
  await connection.write([{ cypher: "CREATE (:Long {text: $text, list: $list})", parameters: { text, list } }]);
  await connection.write([{ cypher: MOVIES }, { cypher: "UNWIND range(1, 150) AS i CREATE (:Number {i: i})" }]);
});
afterAll(() => connection.close());

describe("an untrusted query", () => {
  test("returns its rows as JSON, with its columns in order", async () => {
    const result = await query(
      "MATCH (p:Person {name: $name})-[r:DIRECTED]->(m:Movie) RETURN p, m.title AS title, p.born AS born ORDER BY title",
      { name: "张艺谋" },
    );
    const p = { name: "张艺谋", names: ["Zhang Yimou"], born: "1950-04-02" };
    expect(result).toMatchObject({
      columns: ["p", "title", "born"],
      rows: [
        { p, title: "大红灯笼高高挂", born: "1950-04-02" },
        { p, title: "英雄", born: "1950-04-02" },
      ],
      parameters: { name: "张艺谋" },
      truncated: false,
    });
  });

  test("returns at most a hundred rows, and says that there are more", async () => {
    const result = await query("MATCH (n:Number) RETURN n.i AS i ORDER BY i");
    expect(result.rows).toHaveLength(100);
    expect(result.truncated).toBe(true);
    expect(result.cypher).toContain("LIMIT 100");
  });

  test("truncates a value that is too long, and says so", async () => {
    const { rows, truncated } = await query("MATCH (n:Long) RETURN n.list AS list, n.text AS text, 1 AS one");
    expect(truncated).toBe(true);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.one).toBe(1);
    expect(rows[0]?.text).toMatch(/^长{1000,}…$/);
    expect(rows[0]?.list).toMatch(/^\["第1","第2",.*…$/);
    expect(Buffer.byteLength(JSON.stringify(rows))).toBeLessThan(20_000);
  });

  test("returns at most 64 KiB", async () => {
    const text = "长".repeat(2_000);
    const result = await query("MATCH (n:Number) RETURN n.i AS i, $text AS text LIMIT 90", { text });
    expect(result.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(result.rows))).toBeLessThanOrEqual(64 * 1024 + 1_000);
    expect(result.rows.length).toBeGreaterThan(5);
  });

  test("fails with the server's error if it is wrong", async () => {
    await expect(query("MATCH (p:Person) RETRUN p")).rejects.toMatchObject({
      name: "CypherError",
      repairable: true,
      message: expect.stringContaining("Invalid input"),
    });
  });

  test("changes nothing", async () => {
    await expect(query("MATCH (n) DETACH DELETE n RETURN 1")).rejects.toThrow(CypherError);
    expect((await connection.read("MATCH (n:Number) RETURN n")).length).toBe(150);
  });

  test("is stopped when the caller aborts", async () => {
    const stop = AbortSignal.abort(new Error("the user left"));
    await expect(graph.query?.("RETURN 1", {}, { signal: stop })).rejects.toThrow("the user left");
  });
});
