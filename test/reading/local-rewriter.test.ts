import { expect, test } from "vitest";
import { localRewriter } from "../../src/reading/local-reasoners.js";
import { call, task } from "./local-evidence.js";

test.each(["How much annual leave do the staff of Northwind get?", "北风公司的员工一般有多少年假呢？"])(
  "the local rewriter proposes no other query: %s",
  async (question) => {
    const asked = { ...task(question), queries: [question], missing: "" };
    expect(await localRewriter().rewrite(asked, call())).toBe(question);
  },
);
