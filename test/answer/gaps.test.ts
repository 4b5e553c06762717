import { afterAll, describe, expect, test } from "vitest";
import { gapsIn, type LoggedAnswer } from "../../src/answer/gaps.js";
import { onnxEncoder } from "../../src/tools/encoder/onnx.js";

const encoder = onnxEncoder();
afterAll(() => encoder.close());

const asked = (text: string, day = 1, more: Partial<LoggedAnswer> = {}): LoggedAnswer => ({
  askedAt: `2026-03-0${day}T10:00:00.000Z`,
  status: "refused",
  missing: "",
  failures: [{ tag: "NEED_CONTENT" }],
  queries: [{ text }],
  ...more,
});

describe("questions that were not answered", () => {
  test("are grouped by meaning across both languages, the most frequent first", async () => {
    const log = [
      asked("How do I reset my VPN password?", 1),
      asked("How long is paternity leave?", 2),
      asked("怎样重置VPN密码？", 3),
      asked("Where can I park my bike at the Utrecht office?", 4),
      asked("I forgot my VPN password, what should I do?", 5, { missing: "how to reset it" }),
      asked("乌得勒支办公室哪里可以停自行车？", 6),
    ];
    const gaps = await gapsIn(log, { embeddings: encoder });
    expect(gaps.map(({ count, questions }) => [count, questions])).toEqual([
      [3, [log[0], log[2], log[4]].map((one) => one?.queries[0]?.text)],
      [2, [log[3], log[5]].map((one) => one?.queries[0]?.text)],
      [1, ["How long is paternity leave?"]],
    ]);
    expect(gaps[0]).toMatchObject({ newest: "2026-03-05T10:00:00.000Z", missing: ["how to reset it"] });
  });

  test("are grouped by their words if there are no embeddings", async () => {
    const log = [asked("Who approves overtime?"), asked("谁审批加班？"), asked("Overtime: who approves it?")];
    expect((await gapsIn(log)).map(({ count }) => count)).toEqual([2, 1]);
  });

  test("count once each time they are asked, with the most frequent wording first", async () => {
    const log = [asked("who approves overtime"), asked("Overtime: who approves it?"), asked("Who approves overtime?")];
    const again = asked("Who approves overtime?");
    const [gap] = await gapsIn([...log, again]);
    expect(gap).toMatchObject({ count: 4 });
    expect(gap?.questions[0]).toBe("Who approves overtime?");
  });

  test("are no longer a gap once they are answered, and become one again if they are refused later", async () => {
    const question = "谁审批加班？";
    const answered = asked(question, 2, { status: "answered", failures: [] });
    expect(await gapsIn([asked(question), answered])).toEqual([]);
    expect(await gapsIn([asked(question), answered, asked(question, 3)])).toMatchObject([{ count: 1 }]);
  });

  test("are no gap if a source or a model failed, or if only an unsupported statement was left out", async () => {
    const failed = asked("Who?", 1, { failures: [{ tag: "SOURCE_FAIL" }, { tag: "NEED_CONTENT" }] });
    const cut = asked("Who is it?", 1, { status: "partial", failures: [{ tag: "OVERGEN" }] });
    const open = asked("谁审批？", 1, { status: "partial" });
    expect((await gapsIn([failed, cut, open])).map(({ questions }) => questions)).toEqual([["谁审批？"]]);
  });

  test("show the nearest passage of the time they were last asked", async () => {
    const near = (title: string) => ({ nearest: [{ title, uri: `${title}.md`, section: "", quote: "It says." }] });
    const log = [asked("Who approves overtime?", 2, near("new")), asked("Who approves overtime?", 1, near("old"))];
    expect(await gapsIn(log)).toMatchObject([{ nearest: { title: "new" } }]);
  });
});
