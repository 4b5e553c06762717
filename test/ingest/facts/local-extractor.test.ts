import { describe, expect, test } from "vitest";
import { localExtractor } from "../../../src/ingest/facts/local-extractor.js";
import type { Call } from "../../../src/types/call.js";
import { line, passagesOf } from "../../tools/knowledge/passages.js";

describe("facts from tables", () => {
  test("have the first cell as subject and the column header as predicate", async () => {
    expect(await read("| Area | Lead | Office |\n|-|-|-|\n| Sales, Asia | He Mingyuan | Lisbon, Portugal |")).toEqual([
      "Sales, Asia | Lead | He Mingyuan",
      "Sales, Asia | Office | Lisbon, Portugal",
    ]);
    expect(await read("| 部门 | 负责人 |\n|-|-|\n| 采购部 | 梁嘉懿 |")).toEqual(["采购部 | 负责人 | 梁嘉懿"]);
  });

  test("have the column headers as subjects if the first header is empty", async () => {
    expect(await read("| | K1 | 翠鸟二代 |\n|-|-|-|\n| Weight | 610 g | 420克 |")).toEqual([
      "K1 | Weight | 610 g",
      "翠鸟二代 | Weight | 420克",
    ]);
  });

  test("are properties of the product with a model number that a heading names", async () => {
    const range = "## Data\n\n| Quantity | Range | Accuracy |\n|-|-|-|\n| pH | 0 to 14 | ±0.02 |";
    expect(await read(range, "Kingfisher K2")).toEqual([
      "Kingfisher K2 | pH range | 0 to 14",
      "Kingfisher K2 | pH accuracy | ±0.02",
    ]);
    const facts = "## 主要参数\n\n| 项目 | 参数 |\n|-|-|\n| 防护等级 | IP66 |";
    expect(await read(facts, "苍鹭 H40")).toEqual(["苍鹭 H40 | 防护等级 | IP66"]);
    expect(await read("| 项目 | 限额 |\n|-|-|\n| 市内交通 | 每月三百元 |", "报销")).toEqual([
      "市内交通 | 限额 | 每月三百元",
    ]);
  });

  test("come from each of several things in one cell", async () => {
    expect(await read("| 城市 | 餐补 |\n|-|-|\n| 广州、深圳 | 120元 |")).toEqual([
      "广州 | 餐补 | 120元",
      "深圳 | 餐补 | 120元",
    ]);
  });

  test.each([
    "| Amount | Approver |\n|-|-|\n| up to 2,000 euros | Ana Silva |\n| 2000元至2万元 | 梁嘉懿 |",
    "| Team | Notes | Lead | Since |\n|-|-|-|-|\n| Water | It is big. | TBD | 2020 |",
    "| 团队 | 说明 | 负责人 |\n|-|-|-|\n| 水质组 | 很大 | 待定 |",
    "| 情形 | 补偿 |\n|-|-|\n| 休息日 | 优先调休，不能调休的付2倍工资 |",
    "| Kind | Limit |\n|-|-|\n| Each team | 300 euros |\n| 各部门 | 三百元 |\n| anywhere else | 100 euros |",
    "| Office | What is done there | Lead |\n|-|-|-|\n| Lisbon | support | the same |",
  ])("leave out amounts, remarks, rules, unknown values and what needs its context: %s", async (table) => {
    expect(await read(table)).toEqual([]);
  });

  test("are not read if the first cell does not identify a row", async () => {
    expect(await read("| Position | Player |\n|-|-|\n| DL | Chad Thomas |\n| DL | Chris Smith |")).toEqual([]);
    const repeated = "| Area | Lead |\n|-|-|\n| Area | Lead |\n| Finance | Ana Silva |";
    expect(await read(repeated)).toEqual(["Finance | Lead | Ana Silva"]);
  });

  test("are not read below a heading about another time", async () => {
    const table = "| Area | Lead |\n|-|-|\n| Finance | Ana Silva |";
    expect(await read(`## Former leads\n\n${table}`)).toEqual([]);
    expect(await read(`## 拟定分工\n\n${table}`)).toEqual([]);
    expect(await read(`## Leads\n\n${table}`)).toEqual(["Finance | Lead | Ana Silva"]);
  });

  test("have their row as quote", async () => {
    const [triple] = await triples("| 部门 | 负责人 |\n|-|-|\n| 采购部 | 梁嘉懿 |");
    expect(triple?.quote).toBe("| 采购部 | 梁嘉懿 |");
  });
});

test("the extractor stops when aborted", async () => {
  const [passage] = passagesOf("page", "The capital of France is Paris.");
  if (!passage) throw new Error("no passage");
  await expect(
    localExtractor().extract(passage, { ...CALL, signal: AbortSignal.abort(new Error("enough")) }),
  ).rejects.toThrow("enough");
});

const CALL: Call = { signal: new AbortController().signal, calls: 0, spent: () => {}, fault: () => {} };

const triples = async (text: string, title = "Page") =>
  (
    await Promise.all(passagesOf("page.md", text, { title }).map((passage) => localExtractor().extract(passage, CALL)))
  ).flat();

const read = async (text: string, title?: string) => (await triples(text, title)).map(line);
