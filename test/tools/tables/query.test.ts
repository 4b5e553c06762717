import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TableQueryError } from "../../../src/errors.js";
import { namedTables } from "../../../src/tables/named-tables.js";
import { moduleAt, startModule } from "../../../src/tools/process/own-process.js";
import { askProcess, queryTables, tablesCanBeQueried } from "../../../src/tools/tables/query.js";
import type { FromChild, ToChild } from "../../../src/tools/tables/query-child.js";
import { named, tableOf } from "./jobs.js";

vi.setConfig({ testTimeout: 60_000 });

/** False on older versions of Node. */
const CAN_QUERY = tablesCanBeQueried() === "";

const big = namedTables([
  tableOf(
    "big.csv",
    { Name: "text", Amount: "number", Day: "date" },
    Array.from({ length: 5_500 }, (_, i) => [`Entry number ${i}`, i, `2026-01-${10 + (i % 20)}`]),
  ),
]);

/** SQL of a text that grows tenfold, this many times. */
const grown = (times: number, sql: string): string =>
  times === 0 ? sql : grown(times - 1, `replace(${sql}, 'e', 'eeeeeeeeee')`);

/** The most memory in MB that a process of this program took at once, as far as the system tells. */
let highest = 0;
let looking: NodeJS.Timeout;
beforeEach(() => {
  highest = 0;
  looking = setInterval(() => {
    try {
      for (const task of readdirSync("/proc/self/task"))
        for (const child of readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" ")) {
          const status = readFileSync(`/proc/${child}/status`, "utf8");
          highest = Math.max(highest, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_000);
        }
    } catch {
      // There is no /proc, or the process has ended.
    }
  }, 5);
});
afterEach(() => clearInterval(looking));

/** The number of processes that run. */
const working = () => process.getActiveResourcesInfo().filter((kind) => kind === "ProcessWrap").length;

test.runIf(CAN_QUERY)("a query is answered, with what it reads and the rows that it rests on", async () => {
  const sql = "SELECT count(*) AS n FROM jobs WHERE State = 'Open'";
  const extra = [
    "SELECT _row FROM jobs WHERE State = 'Open'",
    "SELECT nothing FROM jobs",
    "DELETE FROM jobs",
    "SELECT _row FROM shops",
  ];
  expect(await queryTables(sql, named, { extra })).toEqual({
    columns: ["n"],
    rows: [[3]],
    isCut: false,
    reads: [{ table: "jobs", columns: ["State"] }],
    extra: [{ rows: [1, 3, 5], count: 3 }, undefined, undefined, { rows: [1, 2, 3], count: 3 }],
  });
});

test.runIf(CAN_QUERY)("values are queried beside the cells as they are written", async () => {
  const sql = 'SELECT Cost, "Cost (written)", "Urgent (written)" FROM jobs WHERE _row IN (1, 3)';
  const { rows } = await queryTables(sql, named);
  expect(rows).toEqual([
    [1204.5, "1204.5", "1"],
    [null, "n/a", "0"],
  ]);
});

test.runIf(CAN_QUERY)("whole rows are queried, and of many rows the first 200 are returned", async () => {
  const { rows, isCut, columns } = await queryTables("SELECT * FROM big ORDER BY _row", big, {
    extra: ["SELECT _row FROM big"],
  });
  expect(columns).toEqual(["_row", "Name", "Amount", "Amount (written)", "Day", "Day (written)"]);
  expect(rows).toHaveLength(200);
  expect(rows[199]).toEqual([200, "Entry number 199", 199, "199", "2026-01-29", "2026-01-29"]);
  expect(isCut).toBe(true);
});

test.runIf(CAN_QUERY)("of long rows as many are returned as fit into 64 KB", async () => {
  const { rows, isCut } = await queryTables(`SELECT ${grown(3, "Name")} FROM big`, big);
  expect(rows.length).toBeLessThan(200);
  expect(JSON.stringify(rows).length).toBeLessThan(65_536);
  expect(isCut).toBe(true);
});

test.runIf(CAN_QUERY)("all rows of a long table are counted", async () => {
  const { rows, extra } = await queryTables("SELECT count(*), sum(Amount) FROM big", big, {
    extra: ["SELECT _row FROM big"],
  });
  expect(rows).toEqual([[5_500, (5_499 * 5_500) / 2]]);
  expect(extra[0]).toMatchObject({
    count: 5_500,
    rows: expect.toSatisfy((numbers: number[]) => numbers.length === 200),
  });
});

test.runIf(CAN_QUERY)("a wide table is queried whole", async () => {
  const columns = Array.from({ length: 150 }, (_, i) => [`Field ${i}`, "number"] as const);
  const wide = namedTables([tableOf("wide.csv", Object.fromEntries(columns), [columns.map((_, i) => i)])]);
  const { rows } = await queryTables("WITH w AS (SELECT * FROM wide) SELECT * FROM w", wide);
  expect(rows[0]).toHaveLength(301);
});

test.runIf(CAN_QUERY)("names from documents are names, whatever is in them", async () => {
  const headings = [
    '"); DROP TABLE jobs; --',
    "'); DELETE FROM jobs; --",
    "a\0b",
    "\u{D800}",
    "_row",
    "rowid",
    "x".repeat(10_000),
    "select",
    "]`[",
    "Größe",
    "",
    "__proto__",
  ];
  const cells = [
    "'; DROP TABLE jobs; --",
    "\0",
    "\u{DC00}",
    null,
    "=1+1",
    "SELECT * FROM jobs",
    "",
    "6",
    "7",
    "8",
    "9",
    "10",
  ];
  const odd = {
    ...tableOf("x", {}, [cells]),
    columns: headings.map((name) => ({ ...tableOf("x", { x: "text" }, []).columns[0], name })),
  };
  const names = ["jobs", "JOBS.csv", "sqlite_master", '"; DROP TABLE jobs; --', "123", "", "上海.xlsx"];
  const tables = namedTables(names.map((name) => ({ ...odd, name }) as (typeof named)[number]["table"]));
  for (const { name } of tables.slice(2)) {
    const { rows, columns } = await queryTables(`SELECT * FROM ${name}`, tables);
    expect(columns).toHaveLength(13);
    expect(rows).toEqual([[1, cells[0], "\u{FFFD}", "\u{FFFD}", ...cells.slice(3)]]);
  }
});

test.runIf(CAN_QUERY)("an error names the tables and columns that there are", async () => {
  await expect(queryTables("SELECT * FROM salaries", named)).rejects.toThrow(
    'There are these tables: "jobs", "shops".',
  );
  await expect(queryTables("SELECT Price FROM jobs", named)).rejects.toThrow(
    'no such column: Price. "jobs" has these columns: _row, "Title", "Shop", "State", "Cost", "Cost (written)"',
  );
});

/** Queries that SQLite would work on for minutes or more, or that take all memory. */
test
  .runIf(CAN_QUERY)
  .each([
    "SELECT count(*) FROM big a, big b, big c",
    "SELECT a.Name FROM big a, big b, big c WHERE a.Amount + b.Amount + c.Amount < 0",
    "SELECT max(a.Amount * b.Amount - c.Amount) FROM big a, big b, big c",
    "SELECT a.Name || b.Name AS x FROM big a, big b ORDER BY x || a.Name || b.Name",
    "SELECT count(DISTINCT a.Name || b.Name || c.Name) FROM big a, big b, big c",
    "SELECT a._row * 30000 + b._row AS x, count(*) FROM big a, big b GROUP BY x",
    "SELECT sum(a.Amount) OVER (ORDER BY b.Name) FROM big a, big b",
    "SELECT median(a.Amount * b.Amount) FROM big a, big b, big c",
    `SELECT max(x) OVER () FROM (SELECT ${grown(5, "Name")} AS x FROM big)`,
    `WITH x AS MATERIALIZED (SELECT ${grown(4, "a.Name")} AS y FROM big a, big b) SELECT count(*), max(y) FROM x`,
    `SELECT count(*) FROM big a, big b WHERE ${grown(5, "a.Name")} || b.Name GLOB '${"*e".repeat(40)}*x'`,
    "SELECT Name FROM big a WHERE (SELECT count(*) FROM big b, big c WHERE b.Amount < a.Amount + c.Amount) < 0",
    "WITH a AS (SELECT x._row FROM big x, big y), b AS (SELECT 1 FROM a, a AS z) SELECT count(*) FROM b",
  ])("%s is stopped", async (sql) => {
  const failed = await queryTables(sql, big).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(TableQueryError);
  expect(failed).toMatchObject({
    message: expect.stringMatching(/^The query took more than (?:1\.5 s|180 MB of memory) and was stopped\./),
    repairable: true,
  });
  expect(highest).toBeLessThan(300);
});

test.runIf(CAN_QUERY)("an extra query that takes too long leaves the result as it is", async () => {
  const extra = [
    "SELECT _row FROM big WHERE Amount < 3",
    "SELECT a._row FROM big a, big b, big c",
    "SELECT _row FROM big",
  ];
  const { rows, extra: found } = await queryTables("SELECT count(*) FROM big", big, { extra });
  expect(rows).toEqual([[5_500]]);
  expect(found).toEqual([{ rows: [1, 2, 3], count: 3 }, undefined, undefined]);
});

const endless = (signal?: AbortSignal) =>
  queryTables("SELECT count(*) FROM big a, big b, big c", big, { ...(signal && { signal }) });

test.runIf(CAN_QUERY)("an abort ends a query and its process", async () => {
  const stop = new AbortController();
  const query = endless(stop.signal);
  await vi.waitFor(() => expect(working()).toBe(1), 30_000);
  stop.abort(new Error("The budget is spent."));
  await expect(query).rejects.toThrow("The budget is spent.");
  await vi.waitFor(() => expect(working()).toBe(0), 30_000);
});

test.runIf(CAN_QUERY)("two queries run at a time, and the others wait", async () => {
  let most = 0;
  const count = setInterval(() => {
    most = Math.max(most, working());
  }, 2);
  const stop = new AbortController();
  const waiting = Array.from({ length: 6 }, () => queryTables("SELECT count(*) FROM jobs", named));
  const never = queryTables("SELECT count(*) FROM jobs", named, { signal: stop.signal });
  stop.abort(new Error("No longer wanted."));
  await expect(never).rejects.toThrow("No longer wanted.");
  for (const { rows } of await Promise.all(waiting)) expect(rows).toEqual([[5]]);
  clearInterval(count);
  expect(most).toBeGreaterThan(0);
  // One that has answered may take a moment to end.
  expect(most).toBeLessThanOrEqual(4);
});

/** Asks a process that fails in the way that the query names. */
const failing = (sql: string, extra: string[] = []) =>
  askProcess(startModule(new URL("./failing-child.ts", import.meta.url).href, {}), sql, named, { extra });

test("a process that fails is an error, not a hang", async () => {
  const failed = "The process that queries tables failed: it ended with code";
  await expect(failing("exit")).rejects.toThrow(new TableQueryError(`${failed} 3.`, false));
  await expect(failing("kill")).rejects.toThrow(TableQueryError);
  const missing = startModule(new URL("./no-such-child.ts", import.meta.url).href, {});
  await expect(askProcess(missing, "SELECT 1", named, { extra: [] })).rejects.toThrow(`${failed} 1.`);
});

test.runIf(CAN_QUERY)("a process stops its query itself, even if the program does not", async () => {
  const child = startModule(moduleAt(new URL("../../../src/tools/tables/query-child.js", import.meta.url)), {});
  const send = (message: ToChild) => child.send(message);
  const shape = { name: "t", columns: [{ name: "x", type: "REAL" as const }] };
  const numbers = Array.from({ length: 5_000 }, (_, i) => i);
  child.on("message", (reply: FromChild) => {
    if (typeof reply !== "object" || !("needs" in reply)) return;
    expect(reply.needs).toEqual([[0]]);
    send({ table: 0, first: 1, count: numbers.length, columns: [numbers] });
    send("run");
  });
  send({ sql: "SELECT count(*) FROM t a, t b, t c WHERE a.x + b.x > c.x", extra: [], shapes: [shape] });
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGTERM");
});

test("a query whose process does not stop itself is stopped by the program", async () => {
  await expect(failing("hang")).rejects.toThrow("The query took more than 1.5 s and was stopped.");
  await vi.waitFor(() => expect(working()).toBe(0), 30_000);
});

test("an answer that came before the process died is kept", async () => {
  const { rows, extra } = await failing("answer", ["SELECT _row FROM jobs"]);
  expect(rows).toEqual([[1]]);
  expect(extra).toEqual([undefined]);
});

test("tables can be queried where SQLite can be limited, and else it is said what to do", () => {
  if (CAN_QUERY) expect(tablesCanBeQueried()).toBe("");
  vi.spyOn(process, "getBuiltinModule").mockReturnValueOnce({
    DatabaseSync: class {
      close() {}
    },
  });
  expect(tablesCanBeQueried()).toMatch(/cannot be queried on Node .* Install Node 24\.15 or newer\.$/);
});
