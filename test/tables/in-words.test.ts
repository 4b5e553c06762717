import { describe, expect, test } from "vitest";
import { inWords } from "../../src/tables/in-words.js";
import { namedTables } from "../../src/tables/named-tables.js";
import { sample, tableOf } from "./sample.js";

const matched = [5, 2, 1];
const en = (sql: string) => inWords(sql, sample, { matched, language: "en" });
const zh = (sql: string) => inWords(sql, sample, { matched, language: "zh" });

describe("a query in words", () => {
  test.each([
    [
      "SELECT count(*) FROM jobs WHERE State = 'Open'",
      "counted: 5 of 7 rows of jobs.csv where State is Open",
      "计数：jobs.csv的7行中的5行，条件是State为“Open”",
    ],
    [
      "SELECT COUNT(*) AS open_jobs FROM \"jobs\" WHERE LOWER(\"State\") = 'open' AND Team IN ('A','B')",
      "counted: 5 of 7 rows of jobs.csv where State is open and Team is A or B",
      "计数：jobs.csv的7行中的5行，条件是State为“open”，且Team为“A”或“B”",
    ],
    [
      "SELECT sum(Cost) FROM jobs WHERE strftime('%Y-%m', Opened) = '2026-05'",
      "sum of Cost, over 5 of 7 rows of jobs.csv where Opened is in May 2026",
      "Cost之和：取自jobs.csv的7行中的5行，条件是Opened在2026年5月",
    ],
    [
      "SELECT avg(Cost) AS mean FROM jobs WHERE Opened BETWEEN '2026-05-01' AND '2026-05-31'",
      "average of Cost, over 5 of 7 rows of jobs.csv where Opened is in May 2026",
      "Cost的平均值：取自jobs.csv的7行中的5行，条件是Opened在2026年5月",
    ],
    [
      "SELECT round(avg(\"Cost\"), 2) FROM [jobs] WHERE `Opened` >= '2026-05-01' AND Opened < '2026-06-01'",
      "rounded average of Cost, over 5 of 7 rows of jobs.csv where Opened is in May 2026",
      "Cost的平均值（四舍五入）：取自jobs.csv的7行中的5行，条件是Opened在2026年5月",
    ],
    [
      "SELECT max(Cost) FROM jobs",
      "largest Cost, found in 5 of 7 rows of jobs.csv",
      "Cost的最大值：见于jobs.csv的7行中的5行",
    ],
    [
      "SELECT min(Opened), max(Opened) FROM jobs WHERE State = 'Open'",
      "earliest Opened and latest Opened, found in 5 of 7 rows of jobs.csv where State is Open",
      "Opened的最早日期、Opened的最晚日期：见于jobs.csv的7行中的5行，条件是State为“Open”",
    ],
    [
      "SELECT Job, max(Cost) FROM jobs",
      "Job and largest Cost, found in 5 of 7 rows of jobs.csv",
      "Job、Cost的最大值：见于jobs.csv的7行中的5行",
    ],
    [
      "SELECT Job, Cost FROM jobs ORDER BY Cost DESC LIMIT 3",
      "Job and Cost of 5 of 7 rows of jobs.csv: the 3 with the largest Cost",
      "Job、Cost：取自jobs.csv的7行中的5行，取Cost最大的3项",
    ],
    [
      "SELECT Job FROM jobs WHERE Opened IS NOT NULL ORDER BY Opened LIMIT 1",
      "Job of 5 of 7 rows of jobs.csv where Opened has a value: the one with the earliest Opened",
      "Job：取自jobs.csv的7行中的5行，条件是Opened有值，取Opened最早的1项",
    ],
    [
      "SELECT Team, count(*) AS n FROM jobs GROUP BY Team ORDER BY n DESC, Team",
      "number of rows by Team, over 5 of 7 rows of jobs.csv, sorted by number of rows and Team",
      "按Team分组的行数：取自jobs.csv的7行中的5行，按行数、Team排序",
    ],
    [
      "SELECT Team, sum(Cost) AS total FROM jobs WHERE State <> 'Done' GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
      "sum of Cost by Team, over 5 of 7 rows of jobs.csv where State has a value other than Done: the one with the largest sum of Cost",
      "按Team分组的Cost之和：取自jobs.csv的7行中的5行，条件是State有值且不是“Done”，取Cost之和最大的1项",
    ],
    [
      "SELECT count(DISTINCT Team) FROM jobs",
      "number of different values of Team, over 5 of 7 rows of jobs.csv",
      "Team的不同值个数：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT DISTINCT State FROM jobs WHERE Cost > 100",
      "different values of State, over 5 of 7 rows of jobs.csv where Cost is more than EUR 100",
      "State的不同值：取自jobs.csv的7行中的5行，条件是Cost大于100 EUR",
    ],
    [
      "SELECT * FROM jobs WHERE Job LIKE '%ear%' OR (Team = 'A' AND Paid = 1)",
      "listed: 5 of 7 rows of jobs.csv where Job contains ear or (Team is A and Paid is yes)",
      "列出：jobs.csv的7行中的5行，条件是Job包含“ear”，或（Team为“A”，且Paid为是）",
    ],
    [
      "SELECT count(*) FROM jobs WHERE NOT (State = 'Open' OR State IS NULL)",
      "counted: 5 of 7 rows of jobs.csv where not (State is Open or State has no value)",
      "计数：jobs.csv的7行中的5行，条件是不符合（State为“Open”，或State没有值）",
    ],
    [
      "SELECT s.Leader, count(*) n FROM jobs j JOIN shops s ON s.Shop = j.Shop WHERE j.State = 'Open' GROUP BY s.Leader ORDER BY n DESC LIMIT 1",
      "number of rows by Leader, over 5 of 7 rows of jobs.csv and 2 of 3 rows of shops.csv with the same Shop, where State is Open: the one with the largest number of rows",
      "按Leader分组的行数：取自jobs.csv的7行中的5行与shops.csv的3行中的2行（Shop相同），条件是State为“Open”，取行数最大的1项",
    ],
    [
      "SELECT j.Job, s.City FROM jobs j LEFT JOIN shops AS s USING (Shop) WHERE s.City IS NULL",
      "Job and City of 5 of 7 rows of jobs.csv, along with 2 of 3 rows of shops.csv with the same Shop, where City has no value",
      "Job、City：取自jobs.csv的7行中的5行，连同shops.csv的3行中的2行（Shop相同），条件是City没有值",
    ],
    [
      "SELECT sum(CASE WHEN State = 'Open' THEN 1 ELSE 0 END) AS open, count(*) AS total FROM jobs",
      "number of rows where State is Open; number of rows, over 5 of 7 rows of jobs.csv",
      "符合（State为“Open”）的行数、行数：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT count(*) FILTER (WHERE Paid = 1) * 100.0 / count(*) FROM jobs",
      "(number of rows where Paid is yes) as a percentage of number of rows, over 5 of 7 rows of jobs.csv",
      "符合（Paid为是）的行数占行数的百分比：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT ROUND(100.0 * SUM(CASE WHEN State='Done' THEN Cost ELSE 0 END) / SUM(Cost), 1) AS pct FROM jobs",
      "rounded (sum of Cost where State is Done) as a percentage of sum of Cost, over 5 of 7 rows of jobs.csv",
      "Cost之和（仅限State为“Done”）占Cost之和的百分比（四舍五入）：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT 1.0 * sum(Cost) / count(*) FROM jobs",
      "(sum of Cost) ÷ (number of rows), over 5 of 7 rows of jobs.csv",
      "（Cost之和） ÷ （行数）：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT count(*) / 2 FROM jobs",
      "`count(*) / 2`, over 5 of 7 rows of jobs.csv",
      "`count(*) / 2`：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT sum(Cost * Hours) FROM jobs WHERE Hours >= 2",
      "sum of (Cost × Hours), over 5 of 7 rows of jobs.csv where Hours is at least 2 h",
      "（Cost × Hours）之和：取自jobs.csv的7行中的5行，条件是Hours不少于2小时",
    ],
    [
      "SELECT Job FROM jobs WHERE Cost = (SELECT max(Cost) FROM jobs)",
      "Job of 5 of 7 rows of jobs.csv where Cost is the largest",
      "Job：取自jobs.csv的7行中的5行，条件是Cost最大",
    ],
    [
      "SELECT Job, Cost FROM jobs WHERE Cost > (SELECT avg(Cost) FROM jobs WHERE Team = 'A')",
      "Job and Cost of 5 of 7 rows of jobs.csv where Cost is more than (average of Cost, over the rows of jobs.csv where Team is A)",
      "Job、Cost：取自jobs.csv的7行中的5行，条件是Cost大于（Cost的平均值：取自jobs.csv的行，条件是Team为“A”）",
    ],
    [
      'SELECT "Team", count(*) FROM "jobs" WHERE "Team" IS NOT NULL GROUP BY "Team" HAVING count(*) = (SELECT max(value) FROM (SELECT count(*) AS value FROM "jobs" WHERE "Team" IS NOT NULL GROUP BY "Team")) ORDER BY 1',
      "number of rows by Team, over 5 of 7 rows of jobs.csv where Team has a value, only where number of rows is the largest, sorted by Team",
      "按Team分组的行数：取自jobs.csv的7行中的5行，条件是Team有值，只取行数最大的组，按Team排序",
    ],
    [
      "WITH per AS (SELECT Team, sum(Hours) AS h FROM jobs GROUP BY Team) SELECT avg(h) FROM per",
      "average of (sum of Hours by Team), over 5 of 7 rows of jobs.csv",
      "（按Team分组的Hours之和）的平均值：取自jobs.csv的7行中的5行",
    ],
    [
      "WITH per AS (SELECT Team, sum(Hours) AS h FROM jobs GROUP BY Team) SELECT Team, h FROM per WHERE h > 5 ORDER BY h DESC LIMIT 2",
      "sum of Hours by Team, over 5 of 7 rows of jobs.csv, only where sum of Hours is more than 5: the 2 with the largest sum of Hours",
      "按Team分组的Hours之和：取自jobs.csv的7行中的5行，只取Hours之和大于5的组，取Hours之和最大的2项",
    ],
    [
      "WITH o AS (SELECT * FROM jobs WHERE lower(State)='open') SELECT count(*) FROM o WHERE Cost > 50",
      "counted: 5 of 7 rows of jobs.csv where State is open and Cost is more than EUR 50",
      "计数：jobs.csv的7行中的5行，条件是State为“open”，且Cost大于50 EUR",
    ],
    [
      "SELECT avg(Cost) FROM (SELECT Cost FROM jobs ORDER BY Cost DESC LIMIT 3)",
      "average of Cost, over 5 of 7 rows of jobs.csv: the 3 with the largest Cost",
      "Cost的平均值：取自jobs.csv的7行中的5行，取Cost最大的3项",
    ],
    [
      "SELECT strftime('%Y-%m', Opened) AS month, sum(Cost) FROM jobs GROUP BY month ORDER BY month",
      "sum of Cost by month of Opened, over 5 of 7 rows of jobs.csv, sorted by month of Opened",
      "按Opened的年月分组的Cost之和：取自jobs.csv的7行中的5行，按Opened的年月排序",
    ],
    [
      "SELECT count(*) FROM jobs WHERE Shop IN (SELECT Shop FROM shops WHERE City = 'Kiel')",
      "counted: 5 of 7 rows of jobs.csv where Shop is among (Shop of the rows of shops.csv where City is Kiel)",
      "计数：jobs.csv的7行中的5行，条件是Shop在（Shop：取自shops.csv的行，条件是City为“Kiel”）之中",
    ],
    [
      "SELECT Job FROM jobs UNION SELECT Leader FROM shops",
      "computed by `SELECT Job FROM jobs UNION SELECT Leader FROM shops` from 5 of 7 rows of jobs.csv and 2 of 3 rows of shops.csv",
      "由`SELECT Job FROM jobs UNION SELECT Leader FROM shops`算出，取自jobs.csv的7行中的5行、shops.csv的3行中的2行",
    ],
    [
      "SELECT Job, rank() OVER (ORDER BY Cost DESC) AS r FROM jobs",
      "Job and `rank() OVER (ORDER BY Cost DESC)` of 5 of 7 rows of jobs.csv",
      "Job、`rank() OVER (ORDER BY Cost DESC)`：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT julianday(max(Opened)) - julianday(min(Opened)) FROM jobs",
      "number of days from earliest Opened to latest Opened, found in 5 of 7 rows of jobs.csv",
      "Opened的最早日期到Opened的最晚日期的天数：见于jobs.csv的7行中的5行",
    ],
    [
      "SELECT count(*) FROM jobs WHERE julianday('2026-06-01') - julianday(Opened) > 10 AND State = 'Open'",
      "counted: 5 of 7 rows of jobs.csv where number of days from Opened to 2026-06-01 is more than 10 and State is Open",
      "计数：jobs.csv的7行中的5行，条件是Opened到2026-06-01的天数大于10，且State为“Open”",
    ],
    [
      'SELECT sum("费用") FROM "维修" WHERE "状态" = \'进行中\'',
      "sum of 费用, over 1 of 3 rows of 维修.xlsx where 状态 is 进行中",
      "费用之和：取自维修.xlsx的3行中的1行，条件是状态为“进行中”",
    ],
    [
      'SELECT "状态", count(*) FROM "维修" WHERE "日期" LIKE \'2026-05%\' GROUP BY "状态"',
      "number of rows by 状态, over 1 of 3 rows of 维修.xlsx where 日期 is in May 2026",
      "按状态分组的行数：取自维修.xlsx的3行中的1行，条件是日期在2026年5月",
    ],
    [
      'SELECT "编号" FROM "维修" ORDER BY "费用" DESC LIMIT 1',
      "编号 of 1 of 3 rows of 维修.xlsx: the one with the largest 费用",
      "编号：取自维修.xlsx的3行中的1行，取费用最大的1项",
    ],
    [
      "SELECT count(*) FROM jobs WHERE \"Cost (written)\" LIKE '%about%'",
      "counted: 5 of 7 rows of jobs.csv where Cost as written contains about",
      "计数：jobs.csv的7行中的5行，条件是Cost（原文）包含“about”",
    ],
    [
      "SELECT a.Job FROM jobs a JOIN jobs b ON a.Cost = b.Cost AND a._row < b._row",
      "computed by `SELECT a.Job FROM jobs a JOIN jobs b ON a.Cost = b.Cost AND a._row < b._row` from 5 of 7 rows of jobs.csv",
      "由`SELECT a.Job FROM jobs a JOIN jobs b ON a.Cost = b.Cost AND a._row < b._row`算出，取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT count(*) FROM jobs WHERE Paid AND Cost NOT BETWEEN 10 AND 50.5 AND Team NOT IN ('A') -- note\n AND Job NOT LIKE 'B%'",
      "counted: 5 of 7 rows of jobs.csv where Paid is yes and Cost is not from EUR 10 to EUR 50.5 and Team is not A and Job does not begin with B",
      "计数：jobs.csv的7行中的5行，条件是Paid为是，且Cost不在10 EUR到50.5 EUR之间，且Team不是“A”，且Job不以“B”开头",
    ],
    [
      "SELECT (SELECT count(*) FROM jobs WHERE Paid) * 1.0 / (SELECT count(*) FROM jobs)",
      "computed by `SELECT (SELECT count(*) FROM jobs WHERE Paid) * 1.0 / (SELECT count(*) FROM jobs)` from 5 of 7 rows of jobs.csv",
      "由`SELECT (SELECT count(*) FROM jobs WHERE Paid) * 1.0 / (SELECT count(*) FROM jobs)`算出，取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT Team, min(Cost), max(Cost), avg(Cost) FROM jobs GROUP BY Team",
      "smallest Cost, largest Cost and average of Cost by Team, over 5 of 7 rows of jobs.csv",
      "按Team分组的Cost的最小值、Cost的最大值、Cost的平均值：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT avg(Cost) FROM (SELECT Cost FROM jobs ORDER BY Cost DESC LIMIT 3)",
      "average of Cost, over 5 of 7 rows of jobs.csv: the 3 with the largest Cost",
      "Cost的平均值：取自jobs.csv的7行中的5行，取Cost最大的3项",
    ],
    [
      "SELECT avg(Cost) AS mean FROM jobs LIMIT 1",
      "average of Cost, over 5 of 7 rows of jobs.csv",
      "Cost的平均值：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT count(*) * 100.0 / (SELECT count(*) FROM jobs) AS pct FROM jobs WHERE State = 'Open'",
      "number of rows as a percentage of (number of rows, over the rows of jobs.csv), over 5 of 7 rows of jobs.csv where State is Open",
      "行数占（行数：取自jobs.csv的行）的百分比：取自jobs.csv的7行中的5行，条件是State为“Open”",
    ],
    [
      "SELECT State, count(*), round(count(*) * 100.0 / (SELECT count(*) FROM jobs), 1) FROM jobs GROUP BY State",
      "number of rows and rounded number of rows as a percentage of (number of rows, over the rows of jobs.csv) by State, over 5 of 7 rows of jobs.csv",
      "按State分组的行数、行数占（行数：取自jobs.csv的行）的百分比（四舍五入）：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT State, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) FROM jobs GROUP BY State",
      "`ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1)` by State, over 5 of 7 rows of jobs.csv",
      "按State分组的`ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1)`：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT Job FROM jobs ORDER BY Cost DESC LIMIT 1 OFFSET 1",
      "Job of 5 of 7 rows of jobs.csv: the one with the largest Cost after the first 1",
      "Job：取自jobs.csv的7行中的5行，取Cost最大的1项（跳过前1项）",
    ],
    [
      "SELECT Job FROM jobs WHERE instr(lower(Job), 'ear') > 0 AND abs(Cost) > 10",
      "Job of 5 of 7 rows of jobs.csv where Job contains ear and `abs(Cost) > 10`",
      "Job：取自jobs.csv的7行中的5行，条件是Job包含“ear”，且`abs(Cost) > 10`",
    ],
    ["SELECT Job FROM jobs LIMIT 200", "Job of 5 of 7 rows of jobs.csv", "Job：取自jobs.csv的7行中的5行"],
    [
      "SELECT jobs.Team, shops.Leader, SUM(jobs.Cost) AS c FROM jobs, shops WHERE jobs.Shop = shops.Shop GROUP BY jobs.Team, shops.Leader HAVING SUM(jobs.Cost) > 100 ORDER BY c DESC",
      "sum of Cost by Team and Leader, over 5 of 7 rows of jobs.csv and 2 of 3 rows of shops.csv, where Shop of jobs.csv is the same as Shop of shops.csv, only where sum of Cost is more than 100, sorted by sum of Cost",
      "按Team、Leader分组的Cost之和：取自jobs.csv的7行中的5行与shops.csv的3行中的2行，条件是jobs.csv的Shop与shops.csv的Shop相同，只取Cost之和大于100的组，按Cost之和排序",
    ],
    [
      "SELECT s.Shop, COUNT(j.Job) FROM shops s LEFT JOIN jobs j ON j.Shop = s.Shop GROUP BY s.Shop",
      "number of rows with a value in Job by Shop of shops.csv, over 2 of 3 rows of shops.csv, along with 5 of 7 rows of jobs.csv with the same Shop",
      "按shops.csv的Shop分组的Job有值的行数：取自shops.csv的3行中的2行，连同jobs.csv的7行中的5行（Shop相同）",
    ],
    [
      "SELECT Team, Job, Cost FROM (SELECT Team, Job, Cost, row_number() OVER (PARTITION BY Team ORDER BY Cost DESC) AS rn FROM jobs) WHERE rn = 1",
      "computed by `SELECT Team, Job, Cost FROM (SELECT Team, Job, Cost, row_number() OVER (PARTITION BY Team ORDER BY Cost DESC) AS rn FROM jobs) WHERE rn = 1` from 5 of 7 rows of jobs.csv",
      "由`SELECT Team, Job, Cost FROM (SELECT Team, Job, Cost, row_number() OVER (PARTITION BY Team ORDER BY Cost DESC) AS rn FROM jobs) WHERE rn = 1`算出，取自jobs.csv的7行中的5行",
    ],
    [
      "WITH a AS (SELECT Team, sum(Cost) AS c FROM jobs WHERE strftime('%m', Opened) = '05' GROUP BY Team), b AS (SELECT Team, sum(Cost) AS c FROM jobs WHERE strftime('%m', Opened) = '06' GROUP BY Team) SELECT a.Team, b.c - a.c AS diff FROM a JOIN b ON a.Team = b.Team",
      "computed by `WITH a AS (SELECT Team, sum(Cost) AS c FROM jobs WHERE strftime('%m', Opened) = '05' GROUP BY Team), b AS (SELECT Team, sum(Cost) AS c FROM jobs WHERE strftime('%m', Opened) = '06' GROUP BY Team) SEL…` from 5 of 7 rows of jobs.csv",
      "由`WITH a AS (SELECT Team, sum(Cost) AS c FROM jobs WHERE strftime('%m', Opened) = '05' GROUP BY Team), b AS (SELECT Team, sum(Cost) AS c FROM jobs WHERE strftime('%m', Opened) = '06' GROUP BY Team) SEL…`算出，取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT SUM(CASE WHEN Opened LIKE '2026-05%' THEN Cost END) - SUM(CASE WHEN Opened LIKE '2026-06%' THEN Cost END) AS diff FROM jobs",
      "(sum of Cost where Opened is in May 2026) − (sum of Cost where Opened is in June 2026), over 5 of 7 rows of jobs.csv",
      "（Cost之和（仅限Opened在2026年5月）） − （Cost之和（仅限Opened在2026年6月））：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT sum(State = 'Open'), avg(Paid), avg(CASE WHEN State='Open' THEN 1.0 ELSE 0 END) FROM jobs",
      "number of rows where State is Open; average of Paid; share (0 to 1) of rows where State is Open, over 5 of 7 rows of jobs.csv",
      "符合（State为“Open”）的行数、Paid的平均值、符合（State为“Open”）的行所占比例（0至1）：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT count(*) FROM jobs WHERE CAST(strftime('%Y', Opened) AS INTEGER) = 2026 AND strftime('%m', Opened) = '05'",
      "counted: 5 of 7 rows of jobs.csv where Opened is in 2026 and Opened is in May",
      "计数：jobs.csv的7行中的5行，条件是Opened在2026年，且Opened在5月",
    ],
    [
      "SELECT COALESCE(SUM(Cost), 0) FROM jobs WHERE Team = 'Z'",
      "sum of Cost, or 0 if there is none, over 5 of 7 rows of jobs.csv where Team is Z",
      "Cost之和（没有时为0）：取自jobs.csv的7行中的5行，条件是Team为“Z”",
    ],
    [
      "SELECT Team, MAX(Cost) FROM jobs WHERE Cost IS NOT NULL GROUP BY Team HAVING COUNT(*) >= 2",
      "largest Cost by Team, found in 5 of 7 rows of jobs.csv where Cost has a value, only where number of rows is at least 2",
      "按Team分组的Cost的最大值：见于jobs.csv的7行中的5行，条件是Cost有值，只取行数不少于2的组",
    ],
    [
      "SELECT median(Cost) FROM jobs",
      "median of Cost, over 5 of 7 rows of jobs.csv",
      "Cost的中位数：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT Job FROM jobs WHERE Cost IN (100, 900) AND Opened > '2026-01-01' ORDER BY Opened DESC, Job LIMIT 2",
      "Job of 5 of 7 rows of jobs.csv where Cost is EUR 100 or EUR 900 and Opened is after 2026-01-01: the 2 with the latest Opened, then by Job",
      "Job：取自jobs.csv的7行中的5行，条件是Cost为100 EUR或900 EUR，且Opened晚于2026-01-01，取Opened最晚的2项（再按Job）",
    ],
    [
      "SELECT 'open' AS label, count(*) FROM jobs WHERE State = 'Open' UNION ALL SELECT 'done', count(*) FROM jobs WHERE State = 'Done'",
      "computed by `SELECT 'open' AS label, count(*) FROM jobs WHERE State = 'Open' UNION ALL SELECT 'done', count(*) FROM jobs WHERE State = 'Done'` from 5 of 7 rows of jobs.csv",
      "由`SELECT 'open' AS label, count(*) FROM jobs WHERE State = 'Open' UNION ALL SELECT 'done', count(*) FROM jobs WHERE State = 'Done'`算出，取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT count(*) FROM jobs j WHERE EXISTS (SELECT 1 FROM shops s WHERE s.Shop = j.Shop AND s.City = 'Kiel')",
      "counted: 5 of 7 rows of jobs.csv where `EXISTS (SELECT 1 FROM shops s WHERE s.Shop = j.Shop AND s.City = 'Kiel')`",
      "计数：jobs.csv的7行中的5行，条件是`EXISTS (SELECT 1 FROM shops s WHERE s.Shop = j.Shop AND s.City = 'Kiel')`",
    ],
    [
      "SELECT Shop FROM shops WHERE Shop NOT IN (SELECT Shop FROM jobs)",
      "Shop of 2 of 3 rows of shops.csv where Shop is not among (Shop of the rows of jobs.csv)",
      "Shop：取自shops.csv的3行中的2行，条件是Shop不在（Shop：取自jobs.csv的行）之中",
    ],
    [
      "SELECT max(n) FROM (SELECT count(*) AS n FROM jobs GROUP BY Team)",
      "largest (number of rows by Team), found in 5 of 7 rows of jobs.csv",
      "（按Team分组的行数）的最大值：见于jobs.csv的7行中的5行",
    ],
    [
      "SELECT count(*) FROM (SELECT Team FROM jobs GROUP BY Team HAVING sum(Cost) > 300)",
      "number of groups by Team, over 5 of 7 rows of jobs.csv, only where sum of Cost is more than 300",
      "按Team分组的组数：取自jobs.csv的7行中的5行，只取Cost之和大于300的组",
    ],
    [
      "SELECT count(*) FROM (SELECT DISTINCT Team FROM jobs WHERE State = 'Open')",
      "computed by `SELECT count(*) FROM (SELECT DISTINCT Team FROM jobs WHERE State = 'Open')` from 5 of 7 rows of jobs.csv",
      "由`SELECT count(*) FROM (SELECT DISTINCT Team FROM jobs WHERE State = 'Open')`算出，取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT Cost * 2 AS double FROM jobs WHERE double > 300",
      "Cost × 2 of 5 of 7 rows of jobs.csv where Cost × 2 is more than 300",
      "Cost × 2：取自jobs.csv的7行中的5行，条件是Cost × 2大于300",
    ],
    [
      "SELECT group_concat(Job, ', ') FROM jobs WHERE State = 'Done'",
      "list of Job, over 5 of 7 rows of jobs.csv where State is Done",
      "Job的清单：取自jobs.csv的7行中的5行，条件是State为“Done”",
    ],
    [
      "SELECT Job, CASE WHEN Cost > 100 THEN 'big' ELSE 'small' END AS size FROM jobs",
      "Job and `CASE WHEN Cost > 100 THEN 'big' ELSE 'small' END` of 5 of 7 rows of jobs.csv",
      "Job、`CASE WHEN Cost > 100 THEN 'big' ELSE 'small' END`：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT CASE WHEN Cost > 100 THEN 'big' ELSE 'small' END AS size, count(*) FROM jobs GROUP BY size",
      "number of rows by `CASE WHEN Cost > 100 THEN 'big' ELSE 'small' END`, over 5 of 7 rows of jobs.csv",
      "按`CASE WHEN Cost > 100 THEN 'big' ELSE 'small' END`分组的行数：取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT count(*) FROM jobs WHERE Job = 'it''s a \"test\"' OR Job IS NOT 'x' OR 5 < Hours",
      'counted: 5 of 7 rows of jobs.csv where Job is “it\'s a "test"” or Job is not x or Hours is more than 5 h',
      '计数：jobs.csv的7行中的5行，条件是Job为“it\'s a "test"”，或Job不是“x”，或Hours大于5小时',
    ],
    [
      "SELECT j.* FROM jobs AS j WHERE j.Team = 'A' COLLATE NOCASE AND (j.State, j.Team) = ('Open', 'A')",
      "listed: 5 of 7 rows of jobs.csv where `j.Team = 'A' COLLATE NOCASE AND (j.State, j.Team) = ('Open', 'A')`",
      "列出：jobs.csv的7行中的5行，条件是`j.Team = 'A' COLLATE NOCASE AND (j.State, j.Team) = ('Open', 'A')`",
    ],
    [
      'select min("Hours") from jobs where "Hours" > 1 and "Hours" is not null',
      "smallest Hours, found in 5 of 7 rows of jobs.csv where Hours is more than 1 h and Hours has a value",
      "Hours的最小值：见于jobs.csv的7行中的5行，条件是Hours大于1小时，且Hours有值",
    ],
    [
      "SELECT substr(Opened, 1, 4) y, count(*) FROM jobs GROUP BY substr(Opened, 1, 4) HAVING y = '2026'",
      "number of rows by year of Opened, over 5 of 7 rows of jobs.csv, only where Opened is in 2026",
      "按Opened的年份分组的行数：取自jobs.csv的7行中的5行，只取Opened在2026年的组",
    ],
    [
      "SELECT count(*) FROM jobs WHERE strftime('%Y-%m', Opened) BETWEEN '2026-04' AND '2026-05'",
      "counted: 5 of 7 rows of jobs.csv where month of Opened is from April 2026 to May 2026",
      "计数：jobs.csv的7行中的5行，条件是Opened的年月在2026年4月到2026年5月之间",
    ],
    [
      "SELECT count(*) FROM jobs WHERE strftime('%Y-%m', Opened) IN ('2026-04','2026-05') AND date(Opened) <= date('2026-05-31')",
      "counted: 5 of 7 rows of jobs.csv where month of Opened is April 2026 or May 2026 and Opened is on or before 2026-05-31",
      "计数：jobs.csv的7行中的5行，条件是Opened的年月为2026年4月或2026年5月，且Opened不晚于2026-05-31",
    ],
    [
      "SELECT total(Cost)/60 FROM jobs WHERE TRUE",
      "(sum of Cost) ÷ 60, over 5 of 7 rows of jobs.csv",
      "（Cost之和） ÷ 60：取自jobs.csv的7行中的5行",
    ],
    [
      "DELETE FROM jobs",
      "computed by `DELETE FROM jobs` from 5 of 7 rows of jobs.csv",
      "由`DELETE FROM jobs`算出，取自jobs.csv的7行中的5行",
    ],
    [
      "SELECT count(*) FROM nothing",
      "computed by `SELECT count(*) FROM nothing`",
      "由`SELECT count(*) FROM nothing`算出",
    ],
    [
      "SELECT count(*) FROM jobs WHERE State <> 'Done' AND Team <> 'A' AND State NOT IN ('x','y')",
      "counted: 5 of 7 rows of jobs.csv where State has a value other than Done and Team is not A and State has a value other than x and y",
      "计数：jobs.csv的7行中的5行，条件是State有值且不是“Done”，且Team不是“A”，且State有值且不是“x”或“y”",
    ],
    [
      "SELECT Job FROM jobs ORDER BY Opened LIMIT 2",
      "Job of 5 of 7 rows of jobs.csv: the 2 with the earliest Opened, those without a value first",
      "Job：取自jobs.csv的7行中的5行，取Opened最早的2项（没有值的排在最前）",
    ],
    [
      "SELECT Job FROM jobs ORDER BY Opened NULLS LAST LIMIT 2",
      "Job of 5 of 7 rows of jobs.csv: the 2 with the earliest Opened",
      "Job：取自jobs.csv的7行中的5行，取Opened最早的2项",
    ],
    [
      "SELECT Job FROM jobs WHERE Opened > '2026' ORDER BY Opened LIMIT 2",
      "Job of 5 of 7 rows of jobs.csv where Opened is on or after 2026: the 2 with the earliest Opened",
      "Job：取自jobs.csv的7行中的5行，条件是Opened不早于2026，取Opened最早的2项",
    ],
    [
      "SELECT count(*) FROM jobs JOIN shops USING (Shop)",
      "number of rows, over 5 of 7 rows of jobs.csv and 2 of 3 rows of shops.csv with the same Shop",
      "行数：取自jobs.csv的7行中的5行与shops.csv的3行中的2行（Shop相同）",
    ],
    [
      "SELECT Shop, count(*) FROM jobs JOIN shops USING (Shop) GROUP BY Shop",
      "number of rows by Shop of jobs.csv, over 5 of 7 rows of jobs.csv and 2 of 3 rows of shops.csv with the same Shop",
      "按jobs.csv的Shop分组的行数：取自jobs.csv的7行中的5行与shops.csv的3行中的2行（Shop相同）",
    ],
    [
      "SELECT Job FROM jobs WHERE Cost = (SELECT Cost FROM jobs WHERE Team='A' ORDER BY Cost DESC LIMIT 1)",
      "Job of 5 of 7 rows of jobs.csv where Cost is the same as (Cost of the rows of jobs.csv where Team is A: the one with the largest Cost)",
      "Job：取自jobs.csv的7行中的5行，条件是Cost与（Cost：取自jobs.csv的行，条件是Team为“A”，取Cost最大的1项）相同",
    ],
  ])("%s", (sql, english, chinese) => {
    expect(en(sql)).toBe(english);
    expect(zh(sql)).toBe(chinese);
  });
});

describe("what SQLite compares in another way than a reader would is given as SQL", () => {
  test.each([
    "lower(State) = 'Open'",
    "State = upper('x') AND upper(State) IN ('A', 'b')",
    "strftime('%Y', Opened) = 2026",
    "strftime('%m', Opened) = '5'",
    "Opened = '2026-05'",
    "Opened > '1 May 2026'",
    "Opened BETWEEN '2026-04' AND '2026-05'",
    "Opened > 2026",
    "Paid = 'yes'",
    "Cost > '100'",
    "Opened >= date('now', '-1 month')",
    "Job LIKE 'a_b'",
    "Job LIKE 'a%' ESCAPE 'x'",
    "Job GLOB 'A*'",
  ])("%s", (condition) => expect(en(`SELECT Job FROM jobs WHERE ${condition}`)).toMatch(/`/));

  test.each([
    ["Opened > '2026'", "Opened is on or after 2026"],
    ["Opened <= '2026-05'", "Opened is before 2026-05"],
    ["CAST(strftime('%m', Opened) AS INTEGER) = 5", "Opened is in May"],
    ["upper(trim(State)) = 'OPEN'", "State is OPEN"],
    ["date(Opened) = '2026-05-02'", "Opened is 2026-05-02"],
  ])("%s: %s", (condition, words) =>
    expect(en(`SELECT Job FROM jobs WHERE ${condition}`)).toBe(`Job of 5 of 7 rows of jobs.csv where ${words}`),
  );

  test.each([
    "SELECT sum(CASE WHEN Paid THEN Cost ELSE 1 END) FROM jobs",
    "SELECT count(CASE WHEN Paid THEN 1 ELSE 0 END) FROM jobs",
    "SELECT avg(CASE WHEN Paid THEN Cost ELSE 0 END) FROM jobs",
    "SELECT max(CASE WHEN Paid THEN Cost ELSE 0 END) FROM jobs",
    "SELECT sum(DISTINCT Cost) FROM jobs",
    "SELECT CAST(strftime('%d', Opened) AS INTEGER) FROM jobs",
    "SELECT count(*) / count(DISTINCT Team) FROM jobs",
    "SELECT avg(n) FROM (SELECT sum(Cost) AS n FROM jobs GROUP BY Team ORDER BY n DESC LIMIT 2)",
    "SELECT sum(Cost) OVER (ORDER BY Opened) FROM jobs",
    "SELECT a.Job FROM jobs a FULL JOIN shops b ON a.Shop = b.Shop",
  ])("%s", (sql) => expect(en(sql)).toMatch(/`/));
});

test("all rows are called so, and rows that cannot be told are not counted", () => {
  const sql = "SELECT count(*) FROM jobs WHERE Team = 'A'";
  const rows = (of: number | undefined) => inWords(sql, sample, { matched: [of], language: "en" });
  expect(rows(7)).toBe("counted: all 7 rows of jobs.csv where Team is A");
  expect(rows(undefined)).toBe("counted: the rows of jobs.csv where Team is A");
});

test("a table is called by its name and its file, and by its SQL name if another one is called the same", () => {
  const table = (name: string, uri: string) => ({ ...tableOf(name, [["A", "text"]], [["x"]]), uri });
  const named = namedTables([
    table("Costs", "files/2026.xlsx#sheet=1"),
    table("Notes", "files/a.md"),
    table("Notes", "other/a.md"),
    table("a.csv", "https://example.com/files/a.csv?v=1"),
    table("Jobs", "files/Jobs.csv"),
  ]);
  const words = named.map(({ name }) =>
    inWords(`SELECT count(*) FROM ${name}`, named, { matched: [], language: "en" }),
  );
  expect(words.map((each) => each.replace("counted: the rows of ", ""))).toEqual([
    "Costs (2026.xlsx)",
    "Notes",
    "Notes_2",
    "a.csv",
    "Jobs.csv",
  ]);
});

test("a date that is compared with moments is its first minute", () => {
  const named = namedTables([tableOf("log.csv", [["At", "date"]], [["2026-05-02 14:30"]])]);
  expect(inWords("SELECT count(*) FROM log WHERE At > '2026-05-01'", named, { matched: [1], language: "en" })).toBe(
    "counted: all 1 rows of log.csv where At is after 2026-05-01 00:00",
  );
});

test("values and headings stay on one line, and are cut off", () => {
  const named = namedTables([tableOf("a.csv", [["Who\nand `why`", "text"]], [["x"]])]);
  const value = `a\u202e\n${"b".repeat(200)}`;
  const words = inWords(`SELECT count(*) FROM a WHERE "Who\nand \`why\`" = '${value}'`, named, {
    matched: [1],
    language: "en",
  });
  expect(words).toBe(`counted: all 1 rows of a.csv where “Who and \`why\`” is “a ${"b".repeat(97)}…”`);
});

test("SQL is in code marks that it does not end", () => {
  expect(en("SELECT count(*) FROM jobs WHERE abs(`Cost`) > 1")).toBe(
    "counted: 5 of 7 rows of jobs.csv where `` abs(`Cost`) > 1 ``",
  );
});

test("what takes too many words is given as SQL, in part", () => {
  const many = Array.from({ length: 200 }, (_, i) => `Team = 't${i}'`).join(" OR ");
  expect(en(`SELECT count(*) FROM jobs WHERE ${many}`)).toMatch(
    /^computed by `SELECT count.{180,}…` from 5 of 7 rows of jobs\.csv$/,
  );
});

test("queries that multiply each other are given as SQL", () => {
  const steps = Array.from({ length: 200 }, (_, i) => {
    const from = i === 0 ? "jobs" : `t${i - 1}`;
    return `t${i} AS (SELECT Cost + Cost AS Cost FROM ${from})`;
  });
  expect(en(`WITH ${steps.join(", ")} SELECT Cost FROM t199`)).toMatch(/^computed by `WITH t0/);
});
