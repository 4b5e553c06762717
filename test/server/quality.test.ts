import { afterAll, expect, test } from "vitest";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { QualityReply } from "../../src/types/run.js";
import { record } from "../contract/runs.js";
import { listening } from "./listening.js";

const database = openDatabase(":memory:");
afterAll(() => database.close());
await database.write(async () => {});
const runs = sqlRuns(database);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
runs.add(record({ at: daysAgo(40) }), "");
runs.add(record({ at: daysAgo(3), status: "refused", failures: ["NO_RECALL"], used: [] }), "");
runs.add(record({ at: daysAgo(2), failures: ["OVERGEN"] }), "");
runs.add(record(), "");
await runs.close();

const OPERATOR = "token-of-an-operator";
const SALES = "token-of-the-salesman";
const { address } = await listening({
  runs,
  tokens: [OPERATOR, SALES],
  userOf: (token) => (token === SALES ? { emend_scope: [{ key: "department", values: ["sales"] }] } : undefined),
});
const get = (query: string, token: string) =>
  fetch(`${address}/api/quality${query}`, { headers: { Authorization: `Bearer ${token}` } });

test("an operator sees totals of the last days and the failed runs, for all tags or one", async () => {
  const read = async (query: string) => QualityReply.parse(await (await get(query, OPERATOR)).json());
  const all = await read("");
  expect(all.since).toBe(daysAgo(29).slice(0, 10));
  expect(all.days.map(({ runs, refused }) => [runs, refused])).toEqual([
    [1, 1],
    [1, 0],
    [1, 0],
  ]);
  expect(all.failed.map(({ failures }) => failures)).toEqual([["OVERGEN"], ["NO_RECALL"]]);
  const { days, failed } = await read("?days=60&tag=NO_RECALL");
  expect(days).toHaveLength(4);
  expect(failed.map(({ failures }) => failures)).toEqual([["NO_RECALL"]]);
  expect((await read("?days=1")).days.map(({ day }) => day)).toEqual([daysAgo(0).slice(0, 10)]);
});

test("questions are hidden if the server has tokens, so that their holders cannot read each other's", async () => {
  const shown = async (base: string) => {
    const reply = await fetch(`${base}/api/quality`, { headers: { Authorization: `Bearer ${OPERATOR}` } });
    const { failed, unanswered } = QualityReply.parse(await reply.json());
    return [...failed, ...unanswered].map(({ question }) => question !== "");
  };
  expect(new Set(await shown(address))).toEqual(new Set([false]));
  expect(new Set(await shown((await listening({ runs })).address))).toEqual(new Set([true]));
});

test("a user with a scope is refused, and a server without records has no such page", async () => {
  const refused = await get("", SALES);
  expect([refused.status, await refused.text()]).toEqual([403, expect.not.stringContaining("paid leave")]);
  expect((await get("", "no-token-of-this-server")).status).toBe(401);
  const other = await listening();
  expect((await fetch(`${other.address}/api/quality`)).status).toBe(404);
});

test.each(["?days=0", "?days=many", "?tag=BAD"])("%s is refused with a message", async (query) => {
  const reply = await get(query, OPERATOR);
  expect([reply.status, await reply.json()]).toEqual([400, { error: expect.stringMatching(/days|tag/) }]);
});
