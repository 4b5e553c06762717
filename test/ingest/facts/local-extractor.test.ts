import { describe, expect, test } from "vitest";
import { localExtractor } from "../../../src/ingest/facts/local-extractor.js";
import type { Call } from "../../../src/types/call.js";
import { line, passagesOf } from "../../tools/knowledge/passages.js";

describe("facts from tables", () => {
  test("have the first cell as subject and the column header as predicate", async () => {
    expect(await read("| Area | Lead | Office |\n|-|-|-|\n| Finance | Inês Carvalhal | Lisbon |")).toEqual([
      "Finance | Lead | Inês Carvalhal",
      "Finance | Office | Lisbon",
    ]);
    expect(await read("| 部门 | 负责人 |\n|-|-|\n| 采购部 | 梁嘉懿 |")).toEqual(["采购部 | 负责人 | 梁嘉懿"]);
  });

  test("have the column headers as subjects if the first header is empty", async () => {
    const weights = ["K1 | Weight | 610 g", "K2 | Weight | 420 g"];
    expect(await read("| | K1 | K2 |\n|-|-|-|\n| Weight | 610 g | 420 g |")).toEqual(weights);
    expect(await read("| | 翠鸟一代 | 翠鸟二代 |\n|-|-|-|\n| 重量 | 610克 | 420克 |")).toEqual([
      "翠鸟一代 | 重量 | 610克",
      "翠鸟二代 | 重量 | 420克",
    ]);
  });

  test("have the subject of the page as subject in a table of properties", async () => {
    const range = "## Data\n\n| Quantity | Range |\n|-|-|\n| pH | 0 to 14 |";
    expect(await read(range, "Kingfisher K2")).toEqual(["Kingfisher K2 | pH | 0 to 14"]);
    const facts = "## 主要参数\n\n| 项目 | 参数 |\n|-|-|\n| 防护等级 | IP66 |";
    expect(await read(facts, "苍鹭 H40")).toEqual(["苍鹭 H40 | 防护等级 | IP66"]);
    expect(await read(range, "What it measures")).toEqual([]);
    expect(await read(facts, "使用须知")).toEqual([]);
  });

  test("with a start date are about the person and not about the task", async () => {
    const english = "| Area | Lead | Office | Since |\n|-|-|-|-|\n| Finance | Ana Silva | Lisbon | 2020 |";
    expect(await read(english)).toContain("Finance | Lead since | 2020");
    expect(await read("| 部门 | 负责人 | 任职时间 |\n|-|-|-|\n| 财务部 | 白静姝 | 2018年 |")).toContain(
      "财务部 | 负责人任职时间 | 2018年",
    );
  });

  test("come from each of several things in one cell", async () => {
    expect(await read("| 城市 | 餐补 |\n|-|-|\n| 广州、深圳 | 120元 |")).toEqual([
      "广州 | 餐补 | 120元",
      "深圳 | 餐补 | 120元",
    ]);
    expect(await read("| Team | Members |\n|-|-|\n| Water | Ann Smit, Li Lei |", "Teams")).toEqual([
      "Water | Members | Ann Smit, Li Lei",
    ]);
    expect(await read("| Meeting | Attendees |\n|-|-|\n| Council | Ann Smit, Bo Li (remote) |")).toEqual([
      "Council | Attendees | Ann Smit",
      "Council | Attendees | Bo Li",
    ]);
  });

  test("leave out rows about amounts, remarks, rules and unknown values", async () => {
    expect(await read("| Amount | Approver |\n|-|-|\n| up to 2,000 euros | Ana Silva |")).toEqual([]);
    expect(await read("| 金额 | 批准人 |\n|-|-|\n| 2000元至2万元 | 梁嘉懿 |")).toEqual([]);
    expect(await read("| Team | Notes | Lead |\n|-|-|-|\n| Water | It is big. | TBD |")).toEqual([]);
    expect(await read("| 情形 | 补偿 |\n|-|-|\n| 休息日 | 优先调休，不能调休的付2倍工资 |")).toEqual([]);
    expect(await read("| 团队 | 说明 | 负责人 |\n|-|-|-|\n| 水质组 | 很大 | 待定 |")).toEqual([]);
  });

  test("have values that apply to each thing of a kind", async () => {
    expect(await read("| 项目 | 限额 |\n|-|-|\n| 市内交通 | 每月三百元 |", "报销")).toEqual([
      "市内交通 | 限额 | 每月三百元",
    ]);
    expect(await read("| Meal | Limit | For |\n|-|-|-|\n| Lunch | 12 euros each | everyone |")).toEqual([
      "Lunch | Limit | 12 euros each",
      "Lunch | For | everyone",
    ]);
    expect(await read("| Kind | Limit |\n|-|-|\n| Each team | 300 euros |\n| 各部门 | 三百元 |")).toEqual([]);
  });

  test("are not read if the first cell does not identify a row", async () => {
    expect(await read("| Position | Player |\n|-|-|\n| DL | Chad Thomas |\n| DL | Chris Smith |")).toEqual([]);
    expect(await read("| 部门 | 成员 |\n|-|-|\n| 采购部 | 梁嘉懿 |\n| 采购部 | 方可 |")).toEqual([]);
    const repeated = "| Area | Lead |\n|-|-|\n| Area | Lead |\n| Finance | Ana Silva |";
    expect(await read(repeated)).toEqual(["Finance | Lead | Ana Silva"]);
  });

  test("are not read below a heading about another time", async () => {
    const table = "| Area | Lead |\n|-|-|\n| Finance | Ana Silva |";
    expect(await read(`## Former leads\n\n${table}`)).toEqual([]);
    expect(await read(`## 拟定分工\n\n${table}`)).toEqual([]);
    expect(await read(`## Leads\n\n${table}`)).toEqual(["Finance | Lead | Ana Silva"]);
  });

  test("treat a name and its pinyin as one person, but nothing else in brackets", async () => {
    const table = (cell: string) => `| Area | Lead |\n|-|-|\n| Quality | ${cell} |`;
    const object = async (cell: string) => (await triples(table(cell)))[0]?.object;
    expect(await object("Shen Ruoxi (沈若溪)")).toMatchObject({ name: "Shen Ruoxi", aliases: ["沈若溪"] });
    expect(await object("沈若溪（Ruoxi Shen）")).toMatchObject({ name: "沈若溪", aliases: ["Ruoxi Shen"] });
    for (const other of ["Utrecht (荷兰)", "Shen Ruoxi (质量部)", "沈若溪（Utrecht Office）", "Shen Ruoxi (沈若)"])
      expect(await object(other)).toMatchObject({ name: other, aliases: [] });
  });
});

describe("facts from pairs of a key and a value", () => {
  test("have the thing in the heading above as subject", async () => {
    expect(await read("## Lisbon\n\nAddress: Rua do Maçarico 27. Ring twice.")).toEqual([
      "Lisbon | Address | Rua do Maçarico 27",
    ]);
    expect(await read("## 青岛试验站\n\n地址：青岛市黄岛区听潮路6号。站里没有前台。")).toEqual([
      "青岛试验站 | 地址 | 青岛市黄岛区听潮路6号",
    ]);
    expect(await read("- 主持：周启航\n- 出席：沈若溪、方可（远程）", "四月例会")).toEqual([
      "四月例会 | 主持 | 周启航",
      "四月例会 | 出席 | 沈若溪",
      "四月例会 | 出席 | 方可",
    ]);
  });

  test("require a key that names a relation and a heading that names a thing", async () => {
    expect(await read("## Lisbon\n\nBlank: a sample of pure water.")).toEqual([]);
    expect(await read("## How to reach us\n\nAddress: Rua do Maçarico 27.")).toEqual([]);
    expect(await read("## Roost\n\n- code: the generated text")).toEqual([]);
    expect(await read("## 联系方式\n\n地址：听潮路6号。")).toEqual([]);
    expect(await read("## 上海\n\n注意：地面湿滑。")).toEqual([]);
  });
});

test("every triple has a quote that is in the passage", async () => {
  const text = "## Lisbon\n\nAddress: Rua do Maçarico 27.\n\n| 部门 | 负责人 |\n|-|-|\n| 采购部 | 梁嘉懿 |";
  const found = await triples(text);
  expect(found).toHaveLength(2);
  for (const { quote } of found) expect(text).toContain(quote);
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
