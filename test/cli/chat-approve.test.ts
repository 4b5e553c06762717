import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallWeb } from "../tools/web/small-web.js";
import { folder, OFFICES } from "./emend.js";

let offices: Awaited<ReturnType<typeof folder>>;
beforeAll(async () => {
  offices = await folder(OFFICES);
  const { code, stderr } = await offices.run(["ingest", "docs"]);
  if (code !== 0) throw new Error(stderr);
}, 30_000);
afterAll(() => offices[Symbol.asyncDispose]());

const asked = "In which year was the Vasco da Gama bridge opened?";
const bridge = "The Vasco da Gama bridge was opened in 1998, after three years of work on both banks of the river.";

/** A conversation in which web queries need approval. Returns what was searched for and what was printed. */
async function chat(lines: string, pages: Record<string, string> = { "/bridge": bridge }) {
  const web = await smallWeb(pages);
  const ended = await offices.run(["chat", "--approve"], web.settings, lines);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return { searched: web.searched(), stdout: ended.stdout };
}

describe("emend chat --approve shows the queries of a web search before they are sent", () => {
  test("and sends them when they are approved", async () => {
    const { searched, stdout } = await chat(`${asked}\nyes\n`);
    const [shown = "", answer = ""] = stdout.split("\n\n");
    expect(shown).toBe(
      `Search the web for this? Answer yes or no, give the numbers to keep, or type your own queries, one per line, and then an empty line.\n1. ${asked}`,
    );
    expect(searched).toEqual([asked]);
    expect(answer).toMatch(/opened in 1998.* \[1\]\.$/);
  });

  test("and sends none when they are rejected, and continues without the web", async () => {
    const { searched, stdout } = await chat(`${asked}\nno\nWhen does the Lisbon office open?\n`);
    expect(searched).toEqual([]);
    expect(stdout).toContain("The Lisbon office opens at eight in the morning [1].");
  });

  test.each([
    [
      "an empty line ends them",
      `${asked}\nVasco da Gama bridge\nPonte Vasco da Gama\n\nWhen does the Lisbon office open?\n`,
    ],
    ["the end of the lines does too", `${asked}\nVasco da Gama bridge\nPonte Vasco da Gama`],
  ])("and sends the queries that replace them, one per line: %s", async (_, lines) => {
    const { searched, stdout } = await chat(lines);
    expect(searched.toSorted()).toEqual(["Ponte Vasco da Gama", "Vasco da Gama bridge"]);
    expect(stdout).toContain("opened in 1998");
  });

  test("in Chinese for a Chinese question, and the answer is in Chinese too", async () => {
    const page = "瓦斯科达伽马大桥于1998年通车，位于里斯本东部的特茹河上，是欧洲最长的桥梁之一。";
    const { searched, stdout } = await chat("瓦斯科达伽马大桥是哪一年通车的？\n是\n", { "/bridge": page });
    expect(searched).toEqual(["瓦斯科达伽马大桥是哪一年通车的？"]);
    expect(stdout).toMatch(
      /^要上网搜索以下内容吗？.*\n1\. 瓦斯科达伽马大桥是哪一年通车的？\n\n瓦斯科达伽马大桥于1998年通车/,
    );
    expect(stdout).toContain("\n来源\n");
  });
});

test("a resumed conversation first shows the queries that wait for approval", async () => {
  const web = await smallWeb({ "/bridge": bridge });
  const first = await offices.run(["chat", "--approve"], web.settings, `${asked}\n`);
  expect(first.stdout).toContain("Search the web for this?");
  const { stdout } = await offices.run(["chat", "--resume", "--approve"], web.settings, "no\n");
  expect(stdout).toMatch(/^Search the web for this\?[^\n]*\n1\. In which year/);
  expect(web.searched()).toEqual([]);
});

test("without --approve, queries are sent at once", async () => {
  const web = await smallWeb({ "/bridge": bridge });
  const { stdout } = await offices.run(["chat"], web.settings, `${asked}\n`);
  expect(web.searched()).toEqual([asked]);
  expect(stdout).toMatch(/^The Vasco da Gama bridge was opened in 1998/);
});
