import { afterEach, beforeEach, expect, test } from "vitest";
import { type Neo4jConnection, neo4jConnection } from "../../../src/tools/neo4j/connection.js";
import { neo4jKnowledge } from "../../../src/tools/neo4j/knowledge.js";
import { proxyTo } from "./proxy.js";
import { connect, SERVER, wipe } from "./server.js";

let proxy: Awaited<ReturnType<typeof proxyTo>>;
let connection: Neo4jConnection;

beforeEach(async () => {
  const { hostname, port } = new URL(SERVER.uri);
  proxy = await proxyTo({ host: hostname, port: Number(port) || 7687 });
  connection = neo4jConnection({ ...SERVER, uri: proxy.uri });
});
afterEach(async () => {
  await connection.close();
  await proxy.close();
  const direct = connect();
  await wipe(direct);
  await direct.close();
});

const SLOW = "MATCH (a:Slow), (b:Slow), (c:Slow), (d:Slow), (e:Slow) RETURN count(*) AS n";
const RUNNING =
  "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH 'MATCH (a:Slow)' RETURN currentQuery";

test("the server ends a model's query by its own timeout if the connection no longer carries the abort", async () => {
  const direct = connect();
  await direct.write([{ cypher: "UNWIND range(1, 999) AS i CREATE (:Slow {i: i})" }]);
  const running = async () => (await direct.read(RUNNING)).length;
  const stop = new AbortController();
  const asking = neo4jKnowledge({ connection }).query?.(SLOW, {}, { signal: stop.signal });
  asking?.catch(() => {});
  await expect.poll(running, { timeout: 10_000 }).toBe(1);
  // No data gets through any more: neither the end of the query nor that of the connection.
  proxy.silence();
  stop.abort(new Error("the user left"));
  await expect(asking).rejects.toThrow("the user left");
  expect(await running()).toBe(1);
  // After five seconds. By default the server checks its clock every two seconds.
  await expect.poll(running, { timeout: 15_000, interval: 200 }).toBe(0);
  await direct.close();
});

test("every transaction of every adapter sends the server its time limit", async () => {
  const knowledge = neo4jKnowledge({ connection });
  const person = (name: string) => ({ name, type: "Person", aliases: [] });
  const triple = { subject: person("Ada"), predicate: "knows", object: person("Bob"), quote: "" };
  const source = { id: "s", documentId: "a", title: "A", uri: "", section: "", reviewedAt: "", hash: "1" };
  await knowledge.upsert([{ source, triples: [triple] }]);
  await knowledge.facts(["Ada"], "Whom does Ada know?");
  await knowledge.schema();
  await knowledge.query?.("MATCH (n) RETURN n.name AS name", {});
  await knowledge.sources();
  await knowledge.remove(["s"]);

  const transactions = proxy.sent().flatMap((bytes) => messagesIn(bytes).filter(begins));
  expect(transactions.length).toBeGreaterThan(8);
  expect(transactions.filter((message) => !message.includes("tx_timeout"))).toEqual([]);
});

/** The messages that a driver sends: each in chunks with a length prefix, followed by an empty chunk. */
function messagesIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  let message: Buffer[] = [];
  const first = bytes.indexOf(HELLO);
  for (let at = first < 0 ? bytes.length : first - 2; at + 2 <= bytes.length; ) {
    const length = bytes.readUInt16BE(at);
    if (length > 0) message.push(bytes.subarray(at + 2, at + 2 + length));
    else if (message.length > 0) {
      found.push(Buffer.concat(message));
      message = [];
    }
    at += 2 + length;
  }
  return found;
}

/** The start of the first message after the handshake, whose length varies. emend's own probe sends no such message. */
const HELLO = Buffer.of(0xb1, 0x01);
/** BEGIN: its second byte is 0x11 (https://neo4j.com/docs/bolt/current/bolt/message/). Every query runs inside one. */
const begins = (message: Buffer) => message[1] === 0x11;
