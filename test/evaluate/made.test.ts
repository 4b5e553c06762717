import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { madeQuestions } from "../../src/evaluate/made.js";
import { readQuestions } from "../../src/evaluate/questions.js";

const folder = mkdtempSync(join(tmpdir(), "emend-made-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OWN = '{ "question": "Who paints?",  "answer": null, "tags": ["mine"] }\r';
const OPENS = {
  ...{ id: "one passage: office.md#0", question: "When does it open?", answer: "eight", passages: ["office.md"] },
  ...{ tags: ["made", "one passage"], by: "another program" },
};
const PARTS = {
  ...{ id: "two passages: 休假.md#0", question: "年假几天，谁审批？", answer: "二十五天", also: ["部门负责人"] },
  ...{ passages: ["休假.md"], tags: ["made", "two passages"] },
};
const lines = [OWN, JSON.stringify(OPENS), "", JSON.stringify(PARTS), "not JSON"];

let files = 0;
function written(some = lines) {
  const path = join(folder, `${++files}.jsonl`);
  writeFileSync(path, some.join("\n"));
  return { path, made: madeQuestions(path), now: () => readFileSync(path, "utf8").split("\n") };
}

test("only generated questions are listed, in the order of the file", async () => {
  const { by: _, ...opens } = OPENS;
  expect(await written().made.list()).toEqual([
    { ...opens, isKept: false, isDropped: false },
    { ...PARTS, isKept: false, isDropped: false },
  ]);
});

test("a question that is kept says so, and no other line changes by a byte", async () => {
  const { made, now } = written();
  await made.decide({ id: OPENS.id, kept: { question: OPENS.question, answer: "eight", also: [] } });
  expect(now()).toEqual(lines.with(1, expect.any(String)));
  expect(JSON.parse(now()[1] ?? "")).toEqual({ ...OPENS, tags: ["made", "one passage", "kept"] });
  expect((await made.list()).map(({ isKept }) => isKept)).toEqual([true, false]);
});

test("an edited question is read by an evaluation as it was edited", async () => {
  const { made, path } = written(lines.slice(0, 4));
  await made.decide({ id: PARTS.id, kept: { question: "年假几天，谁批准？", answer: "25天", also: ["经理"] } });
  await made.decide({ id: OPENS.id, kept: { question: "Who opens it?", answer: null, also: ["dropped"] } });
  expect(await readQuestions(path)).toMatchObject([
    { question: "Who paints?" },
    { question: "Who opens it?", answerable: false, answers: [], also: [], passages: [] },
    { question: "年假几天，谁批准？", answers: ["25天"], also: ["经理"], tags: ["made", "two passages", "kept"] },
  ]);
});

test("a question that is dropped stays in the file and is not asked, and keeping twice tags once", async () => {
  const { made, now, path } = written(lines.slice(0, 4));
  const kept = { question: "年假几天？", answer: "二十五天", also: [] };
  await Promise.all([
    made.decide({ id: OPENS.id, kept: null }),
    made.decide({ id: PARTS.id, kept }),
    made.decide({ id: PARTS.id, kept }),
  ]);
  expect(now().filter((_, i) => i % 2 === 0)).toEqual([OWN, ""]);
  expect(JSON.parse(now()[1] ?? "")).toEqual({ ...OPENS, tags: ["made", "one passage", "dropped"] });
  expect(JSON.parse(now()[3] ?? "")).toMatchObject({ tags: ["made", "two passages", "kept"] });
  expect(JSON.parse(now()[3] ?? "")).not.toHaveProperty("also");
  expect(await readQuestions(path)).toMatchObject([{ question: "Who paints?" }, { question: "年假几天？" }]);
  expect(await readQuestions(path, { withDropped: true })).toHaveLength(3);
});

test("a question that was dropped can be kept after all", async () => {
  const { made, path } = written(lines.slice(0, 4));
  await made.decide({ id: OPENS.id, kept: null });
  expect(await readQuestions(path)).toHaveLength(2);
  await made.decide({ id: OPENS.id, kept: { question: OPENS.question, answer: "eight", also: [] } });
  expect((await readQuestions(path))[1]).toMatchObject({ id: OPENS.id, tags: ["made", "one passage", "kept"] });
});

test("a question of the user's own, and one that is gone, are refused and nothing is written", async () => {
  const { made, now } = written([JSON.stringify({ ...OPENS, id: "mine", tags: ["one passage"] }), ...lines]);
  const before = now();
  for (const id of ["mine", "Who paints?", "one passage: gone.md#0"])
    await expect(made.decide({ id, kept: null })).rejects.toThrow(
      `no generated question ${JSON.stringify(id)} any more`,
    );
  expect(now()).toEqual(before);
  // A decision that was refused does not stop the next.
  await made.decide({ id: OPENS.id, kept: null });
  expect(now()).toHaveLength(before.length);
  expect(now()[2]).toContain("dropped");
  expect(readdirSync(folder).filter((name) => !name.endsWith(".jsonl"))).toEqual([]);
});

test("a file in UTF-16 or of a gigabyte is refused and stays as it was, since its lines are written as UTF-8", async () => {
  const { path, made } = written();
  const bytes = Buffer.from(`\uFEFF${JSON.stringify(OPENS)}`, "utf16le");
  writeFileSync(path, bytes);
  await expect(made.list()).rejects.toThrow(/is not UTF-8.*Save it as UTF-8/);
  await expect(made.decide({ id: OPENS.id, kept: null })).rejects.toThrow(/is not UTF-8/);
  expect(readFileSync(path).equals(bytes)).toBe(true);
  truncateSync(path, 1_000_000_000);
  await expect(made.list()).rejects.toThrow(/more than 50 MB/);
});

test("a file may begin with a byte order mark", async () => {
  expect(await written([`\uFEFF${JSON.stringify(OPENS)}`]).made.list()).toHaveLength(1);
});

test("a file that cannot be read is named", async () => {
  const nowhere = madeQuestions(join(folder, "nowhere.jsonl"));
  await expect(nowhere.list()).rejects.toThrow(/nowhere\.jsonl cannot be read/);
  await expect(nowhere.decide({ id: "x", kept: null })).rejects.toThrow(/nowhere\.jsonl cannot be read/);
});

// Windows has neither these modes nor, without a privilege, symbolic links.
test.skipIf(process.platform === "win32").each([0o600, 0o640, 0o664, 0o666])(
  "a decision keeps the mode %i of the file, and the links that lead to it",
  async (mode) => {
    const { path, now } = written();
    chmodSync(path, mode);
    const place = join(folder, `links-${mode}`);
    mkdirSync(place);
    symlinkSync(path, join(place, "one"));
    symlinkSync("one", join(place, "two"));
    const made = madeQuestions(join(place, "two"));
    await made.decide({ id: OPENS.id, kept: null });
    expect(now()[1]).toContain("dropped");
    expect(statSync(path).mode & 0o777).toBe(mode);
    expect(lstatSync(path).isFile()).toBe(true);
    expect(["one", "two"].map((name) => readlinkSync(join(place, name)))).toEqual([path, "one"]);
    expect(readdirSync(place)).toEqual(["one", "two"]);
  },
);
