import { expect, test } from "vitest";
import { emend } from "../../src/cli/program.js";
import { folder } from "./emend.js";

test("--where narrows a search, a question and a conversation, in both languages", async () => {
  await using here = await folder({
    "docs/hr.md": "---\ndepartment: hr\n状态: [终稿, 公开]\n---\n# Leave\n\nAnnual leave is 27 days. 年假为27天。\n",
    "docs/it.md": "---\ndepartment: it\n---\n# Leave\n\nAnnual leave is 30 days. 年假为30天。\n",
  });
  await here.run(["ingest", "docs"]);
  const { stdout } = await here.run(["search", "--json", "--where", "department!=hr,sales", "annual leave"]);
  expect(JSON.parse(stdout).passages).toMatchObject([{ documentId: "docs/it.md" }]);
  const answer = await here.run(["ask", "--where", "状态=公开，草稿", "年假有多少天？"]);
  expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining("27天") });
  expect(answer.stdout).not.toContain("30天");
  const chat = await here.run(["chat", "--where", "department=it"], {}, "How many days is annual leave?\n");
  expect(chat).toMatchObject({ code: 0, stdout: expect.stringContaining("30 days") });
  expect(chat.stdout).not.toContain("27 days");
});

const where = emend()
  .commands.find((command) => command.name() === "ask")
  ?.options.find(({ long }) => long === "--where");
const parsed = (value: string, before?: unknown) => where?.parseArg?.(value, before);

test("--where takes one value, alternatives, exclusions and several conditions", () => {
  const hr = { key: "department", values: ["hr"] };
  expect(parsed("Department = hr")).toEqual([hr]);
  expect(parsed("tags!=a，b, c", [hr])).toEqual([hr, { key: "tags", values: ["a", "b", "c"], not: true }]);
  expect(parsed("部门=人事")).toEqual([{ key: "部门", values: ["人事"] }]);
  expect(parsed("formula=a=b!=c")).toEqual([{ key: "formula", values: ["a=b!=c"] }]);
});

test.each(["department", "=hr", "department=", "department=hr,,it", "__proto__=x", "a:b=c"])(
  "--where refuses %j, and says what it accepts",
  (wrong) => expect(() => parsed(wrong)).toThrow("Give key=value, such as department=hr."),
);
