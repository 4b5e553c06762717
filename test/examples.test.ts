import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const Question = z.strictObject({
  id: z.string(),
  question: z.string().min(1),
  language: z.enum(["en", "zh"]),
  answerable: z.boolean(),
  kind: z.enum([
    "direct",
    "table",
    "rewrite",
    "two-documents",
    "definition",
    "steps",
    "comparison",
    "follow-up",
    "cross-lingual",
    "unanswerable",
  ]),
  /** Words of the documents; a right answer contains at least one. */
  answers: z.array(z.string().min(1)).min(1).optional(),
  /** Paths relative to the handbook. */
  documents: z.array(z.string()).min(1).optional(),
  history: z.array(z.strictObject({ question: z.string().min(1), answer: z.string().min(1) })).optional(),
});

const examples = join(import.meta.dirname, "../examples");
const pages = readdirSync(join(examples, "handbook"), { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(md|html|txt)$/.test(path))
  .map((path) => path.replaceAll("\\", "/"));
const read = (page: string) => readFileSync(join(examples, "handbook", page), "utf8");
const questions = readFileSync(join(examples, "questions.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => Question.parse(JSON.parse(line)));
const answerable = questions.filter((question) => question.answerable);

describe("the sample handbook", () => {
  test.each(pages)("%s has a title", (page) => {
    expect(read(page)).toMatch(TITLE[page.split(".").at(-1) ?? ""] ?? /^$/);
  });

  test("has as many documents in Chinese as in English, and every format", () => {
    const chinese = pages.filter((page) => han(read(page)) > 0.3);
    expect(chinese).toHaveLength(pages.length / 2);
    expect(pages.filter((page) => page.endsWith(".html"))).toHaveLength(1);
    expect(pages.filter((page) => page.endsWith(".txt"))).toHaveLength(1);
  });

  test("has two pages that disagree on the days at home, and the newer page says three", () => {
    const newer = read("policies/remote-work.md");
    const older = read("people/working-here-faq.md");
    expect(newer).toContain("from home up to three days a week");
    expect(older).toContain("Yes, two days a week");
    expect(reviewed(newer) > reviewed(older)).toBe(true);
  });
});

describe("the sample questions", () => {
  test("have unique ids, thirty questions in each language, and no answer for a third of them", () => {
    expect(new Set(questions.map((question) => question.id)).size).toBe(questions.length);
    for (const language of ["en", "zh"]) {
      const asked = questions.filter((question) => question.language === language);
      expect(asked).toHaveLength(30);
      expect(asked.filter((question) => !question.answerable)).toHaveLength(10);
    }
  });

  test.each(answerable)("are answered by the documents that they name: $id", ({ answers = [], documents = [] }) => {
    for (const page of documents) expect(existsSync(join(examples, "handbook", page)), page).toBe(true);
    for (const answer of answers)
      expect(
        documents.some((page) => read(page).includes(answer)),
        answer,
      ).toBe(true);
    expect(answers).not.toHaveLength(0);
  });

  test("have answers exactly if they are answerable, and a history if they are follow-ups", () => {
    for (const { id, kind, answers, history, ...question } of questions) {
      expect(question.answerable, id).toBe(kind !== "unanswerable");
      expect(answers !== undefined, id).toBe(question.answerable);
      if (kind === "follow-up") expect(history, id).toBeDefined();
    }
  });

  test("are not copied from the pages", () => {
    const handbook = pages.map(read).join("\n");
    expect(questions.filter(({ question }) => handbook.includes(question))).toEqual([]);
  });
});

const TITLE: Record<string, RegExp> = {
  md: /^(---\ntitle: \S.*\n|# \S)/,
  html: /<title>[^<]+<\/title>/,
  txt: /^\S.*\n\n/,
};
const han = (text: string) => (text.match(/\p{Script=Han}/gu) ?? []).length / text.length;
const reviewed = (page: string) => /^reviewed: (\S+)$/m.exec(page)?.[1] ?? "";
