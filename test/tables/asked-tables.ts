import { DatabaseSync } from "node:sqlite";
import { namedTables } from "../../src/tables/named-tables.js";
import { planFor } from "../../src/tables/plan.js";
import { languageOf } from "../../src/text/language.js";
import type { Column, Table, TableValue } from "../../src/types/table.js";

/** A table for tests. A heading is "Heading", or "Heading: type unit"; a cell is its value. */
export function table(
  name: string,
  headings: readonly string[],
  rows: readonly (readonly TableValue[])[],
  more: Partial<Table> & { whole?: number } = {},
): Table {
  const { whole = 20, ...rest } = more;
  const columns = headings.map((heading, i): Column => {
    const [, title = "", type = "text", unit = ""] = /^(.*?)(?:: (\S+) ?(.*))?$/.exec(heading) ?? [];
    const cells = rows.flatMap((row) => (row[i] === null || row[i] === undefined ? [] : [String(row[i])]));
    const values = [...new Set(cells)];
    return {
      name: title,
      type: type as Column["type"],
      unit,
      empty: rows.length - cells.length,
      odd: 0,
      values: values.slice(0, whole),
      isWhole: values.length <= whole,
      ...(type === "date" && { range: [cells.toSorted()[0] ?? null, cells.toSorted().at(-1) ?? null] }),
      different: new Set(cells.map((cell) => cell.toLowerCase())).size,
    };
  });
  return {
    id: `${name}#table0`,
    documentId: name,
    name,
    title: name,
    uri: `file:///${name}`,
    section: "",
    reviewedAt: "2026-06-30",
    language: languageOf(headings.join(" ")),
    columns,
    rows: rows.length,
    firstRows: [],
    struck: 0,
    notes: [],
    cells: rows.map((row) => row.map((cell) => String(cell ?? ""))),
    values: rows,
    passages: rows.map(() => 0),
    ...rest,
  };
}

/** The rows that a question gets, each as its values joined by "=", or "none", or "doubt". */
export function asked(question: string, tables: readonly Table[]): string {
  const plan = planFor(question, languageOf(question), tables);
  if (plan?.kind !== "query") return plan?.kind ?? "none";
  const used = plan.tables.map((id) => tables.find((one) => one.id === id)).filter((one) => one !== undefined);
  const database = new DatabaseSync(":memory:");
  try {
    for (const { name, columns, table } of namedTables(used)) {
      const types = columns.map(({ value, type }) => `"${value.replaceAll('"', '""')}" ${SQL_TYPES[type] ?? "REAL"}`);
      database.exec(`CREATE TABLE "${name}" (_row INTEGER, ${types.join(", ")})`);
      const insert = database.prepare(`INSERT INTO "${name}" VALUES (?, ${types.map(() => "?").join(", ")})`);
      table.values.forEach((row, i) => {
        insert.run(i + 1, ...row);
      });
    }
    const rows = database.prepare(plan.sql).all();
    return rows
      .map((row) =>
        Object.values(row)
          .map((value) => String(value))
          .join("="),
      )
      .join("; ");
  } finally {
    database.close();
  }
}

const SQL_TYPES: Record<string, string> = { text: "TEXT COLLATE NOCASE", date: "TEXT", "yes/no": "INTEGER" };

export const JOBS = table(
  "jobs.csv",
  [
    "Job",
    "Kind",
    "State",
    "Shop",
    "Owner",
    "Cost: money EUR",
    "Duration: duration h",
    "Opened: date",
    "Finished: date",
    "Paid: yes/no",
  ],
  [
    ["North gate", "Painting", "open", "Berlin", "Ann Lee", 500, 3, "2026-03-02", null, 0],
    ["Hall floor", "Flooring", "done", "Berlin", "Bob Ray", 1200, 8, "2026-03-10", "2026-03-20", 1],
    ["Roof", "Roofing", "open", "Paris", "Ann Lee", 900, 12, "2026-04-01", null, 0],
    ["Kitchen", "Painting", "waiting", "Paris", null, 300, 2, "2026-04-15", null, 0],
    ["Stairs", "Flooring", "done", "Oslo", "Ann Moss", 450, 5, "2026-04-20", "2026-05-02", 1],
    ["Windows", "Glazing", "open", "Oslo", "Bob Ray", 2100, 16, "2026-05-04", null, 1],
    ["Door", "Painting", "done", "Berlin", "Ann Lee", 250, 1.5, "2026-05-06", "2026-05-07", 1],
    ["Fence", "Painting", "waiting", "Berlin", null, 800, 6, "2026-05-12", null, 0],
    ["Lobby", "Flooring", "open", "Berlin", "Cem Ak", 2100, 10, "2026-05-20", null, 0],
    ["Attic", "Roofing", "done", "Paris", "Bob Ray", 700, 9, "2026-06-01", "2026-06-11", 1],
  ],
);

export const EXPENSES = table(
  "expenses 2025–2026",
  ["Date: date", "Category", "Team", "Amount: money EUR", "Visitors: number"],
  [
    ["2025-05-03", "travel", "Sales", 120, 3],
    ["2025-11-20", "hotel", "Sales", 310, 4],
    ["2026-04-30", "travel", "Design", 80, 5],
    ["2026-05-05", "travel", "Sales", 200, 6],
    ["2026-05-09", "food", "Design", 45.5, 7],
    ["2026-05-31", "travel", "Design", 99.5, 8],
    ["2026-06-02", "food", "Sales", 61, 9],
  ],
  { title: "Expenses", name: "Expenses" },
);

const SUPPLIERS = table(
  "Suppliers",
  ["Supplier", "City", "Average rating: number", "Total: money USD", "Last contact: date", "Level"],
  [
    ["Acme", "Rome", 4.5, 100, "2026-01-05", "1"],
    ["Bolt", "Rome", 3.5, 250, "2026-02-11", "2"],
    ["Core", "Milan", 4.9, 75, "2025-12-24", "2"],
  ],
);

const LEAVE = table(
  "Leave",
  ["Kind", "Days: number"],
  [
    ["Annual leave", 30],
    ["Parental leave", 60],
    ["Moving", 1],
  ],
);

export const TASKS = table(
  "任务.xlsx",
  [
    "任务",
    "类型",
    "状态",
    "门店",
    "负责人",
    "费用: money CNY",
    "用时: duration h",
    "开始日期: date",
    "完成日期: date",
    "是否付款: yes/no",
  ],
  [
    ["大门", "刷漆", "未完成", "北京", "张伟", 500, 3, "2026-03-02", null, 0],
    ["大厅", "铺地", "已完成", "北京", "李娜", 1200, 8, "2026-03-10", "2026-03-20", 1],
    ["屋顶", "修缮", "未完成", "上海", "张伟", 900, 12, "2026-04-01", null, 0],
    ["厨房", "刷漆", "待处理", "上海", null, 300, 2, "2026-04-15", null, 0],
    ["楼梯", "铺地", "已完成", "广州", "王芳", 450, 5, "2026-04-20", "2026-05-02", 1],
    ["窗户", "玻璃", "未完成", "广州", "李娜", 2100, 16, "2026-05-04", null, 1],
    ["木门", "刷漆", "已完成", "北京", "张伟", 250, 1.5, "2026-05-06", "2026-05-07", 1],
    ["围栏", "刷漆", "待处理", "北京", null, 800, 6, "2026-05-12", null, 0],
    ["前厅", "铺地", "未完成", "北京", "陈静", 2100, 10, "2026-05-20", null, 0],
    ["阁楼", "修缮", "已完成", "上海", "李娜", 700, 9, "2026-06-01", "2026-06-11", 1],
  ],
  { name: "任务" },
);

export const SPENDING = table(
  "支出明细",
  ["日期: date", "类别", "部门", "金额: money CNY", "访客: number"],
  [
    ["2025-05-03", "差旅", "销售部", 120, 3],
    ["2025-11-20", "住宿", "销售部", 310, 4],
    ["2026-04-30", "差旅", "设计部", 80, 5],
    ["2026-05-05", "差旅", "销售部", 200, 6],
    ["2026-05-09", "餐饮", "设计部", 45.5, 7],
    ["2026-05-31", "差旅", "设计部", 99.5, 8],
    ["2026-06-02", "餐饮", "销售部", 61, 9],
  ],
);

const HOLIDAYS = table(
  "假期",
  ["种类", "天数: number"],
  [
    ["年假", 15],
    ["婚假", 3],
    ["产假", 98],
  ],
);

export const ALL: readonly Table[] = [JOBS, EXPENSES, SUPPLIERS, LEAVE, TASKS, SPENDING, HOLIDAYS];
