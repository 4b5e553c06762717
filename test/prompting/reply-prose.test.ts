import { describe, expect, test } from "vitest";
import { readProse } from "../../src/prompting/reply-prose.js";
import { isEndless } from "../../src/text/replies.js";

const NOTHING = { text: "", missing: "", ask: "", lookUps: [], sources: [] };

describe("a reply in prose", () => {
  test("is the answer, line by line", () => {
    expect(readProse("It opens at eight [1].\n\n- Ring twice [2].\n")).toEqual({
      ...NOTHING,
      text: "It opens at eight [1].\n\n- Ring twice [2].",
    });
  });

  test.each([
    ["on lines of their own", "\n"],
    ["on one line", " "],
  ])("that does not know can ask to look for more, %s", (_, between) => {
    const reply = ["I don't know.", "Missing: the hour.", 'Search: "opening hours Lisbon"', "Open: 2, Hours"];
    expect(readProse(reply.join(between), true)).toEqual({
      ...NOTHING,
      missing: "the hour.",
      lookUps: [
        { by: "search", words: "opening hours Lisbon" },
        { by: "open", words: "2, Hours" },
      ],
    });
  });

  test.each([
    "I don’t know",
    "**I don't know.**",
    "Answer: I don't know.",
    "I do not know that.",
    "不知道。",
    "我不知道",
    "**不知道**",
    "我不知道，资料里没有。",
    "无法回答这个问题。",
    "我不知道该问题的答案。",
  ])("of %s counts as no answer", (reply) => {
    expect(readProse(reply)).toEqual(NOTHING);
  });

  test.each([
    "不知道密码的员工应联系IT支持[1]。",
    "无法回答的客户问题应转交主管[1]。",
    "八点开门[1]。\n不知道密码的找IT支持[1]。",
  ])("keeps a sentence that only begins like a refusal: %s", (reply) => {
    expect(readProse(reply).text).toBe(reply);
  });

  test.each([
    ["- It opens at eight [1].\n- I don't know", "- It opens at eight [1]."],
    ["八点开门[1]。\n我不知道。", "八点开门[1]。"],
  ])("that answers first keeps the answer without its “I don't know”", (reply, text) => {
    expect(readProse(reply).text).toBe(text);
  });

  test.each(["Answer: At eight [1].", "**Answer:** At eight [1].", "答案：At eight [1]."])(
    "loses the label of its answer: %s",
    (reply) => {
      expect(readProse(reply).text).toBe("At eight [1].");
    },
  );

  test("turns the label of a source into a marker", () => {
    expect(readProse("Source 2: At eight.\n**来源3：**八点。").text).toBe("[2] At eight.\n[3] 八点。");
  });

  test("may answer and ask for clarification together", () => {
    const { text, ask } = readProse("It opens at eight [1].\n**Ask:** Which office?");
    expect({ text, ask }).toEqual({ text: "It opens at eight [1].", ask: "Which office?" });
  });

  test("keeps a sentence in which a label is an ordinary word", () => {
    expect(readProse("Sources are checked: ask Ms Ito [1].").text).toBe("Sources are checked: ask Ms Ito [1].");
    expect(readProse("The search is on [1]. Missing: nothing.").text).toBe("The search is on [1]. Missing: nothing.");
  });

  test.each([
    "- **Search:** finds documents [1].\n- **Sources:** lists what was read [1].\n- **Settings:** has the colours [2].",
    "* Missing: lists what is lost\n* Ask: asks people",
    "The page has two parts.\n**Search:** finds documents [1].\n**Find:** finds words [2].",
  ])("keeps what begins like a label in a list or is cited: %j", (reply) => {
    expect(readProse(reply)).toEqual({ ...NOTHING, text: reply });
  });

  test.each([
    "Search: opening hours",
    "**Search:** opening hours",
    "**Search**: opening hours",
    "## Search: opening hours",
  ])("asks for more in lines alone, and beside an answer such a line is left out: %s", (line) => {
    const lookUps = [{ by: "search", words: "opening hours" }];
    expect(readProse(`${line}\nMissing: the hours`, true)).toEqual({ ...NOTHING, missing: "the hours", lookUps });
    expect(readProse(`It opens at eight [1].\n${line}`, true)).toEqual({ ...NOTHING, text: "It opens at eight [1]." });
  });

  test("beside an answer, an entry that looks like a request is a part of it", () => {
    const reply =
      "There are three steps [1]:\n1. Open: the settings menu.\n2. Search: type the name.\n3. Press Add [1].";
    expect(readProse(reply, true)).toEqual({ ...NOTHING, text: reply });
  });

  test("asks in each of the ways, in either language and with any case", () => {
    const reply = "search: 开门时间\nFIND：A*12\nOpen: 3\nOutline: all\nGraph: Who leads HR?\nWeb: opening hours";
    expect(readProse(reply, true)).toEqual({
      ...NOTHING,
      lookUps: [
        { by: "search", words: "开门时间" },
        { by: "find", words: "A*12" },
        { by: "open", words: "3" },
        { by: "outline", words: "all" },
        { by: "graph", words: "Who leads HR?" },
        { by: "web", words: "opening hours" },
      ],
    });
  });

  test.each([
    [
      'Query: SELECT count(*) FROM "jobs" WHERE "State" = \'open\'',
      ['SELECT count(*) FROM "jobs" WHERE "State" = \'open\''],
    ],
    [
      'Query: SELECT sum("Cost")\nFROM "jobs" -- all of them\nWHERE "City" = \'Berlin\'\n\nSearch: roofs',
      ['SELECT sum("Cost") FROM "jobs" WHERE "City" = \'Berlin\'', "roofs"],
    ],
    [
      'Query:\n```sql\nSELECT "Job"\nFROM "jobs"\nORDER BY "Cost" DESC\n```',
      ['SELECT "Job" FROM "jobs" ORDER BY "Cost" DESC'],
    ],
    ['Query: `SELECT max("金额") FROM "报销"`', ['SELECT max("金额") FROM "报销"']],
    ['**Query:** SELECT 1 FROM "a"\n- Query：SELECT 2 FROM "b"', ['SELECT 1 FROM "a"', 'SELECT 2 FROM "b"']],
  ])("asks for queries, also on several lines: %j", (reply, words) => {
    const prose = readProse(reply, true);
    expect(prose.lookUps.map((one) => one.words)).toEqual(words);
    expect(prose.text).toBe("");
  });

  test("asks for the same once, for six things at most, and for nothing without words", () => {
    const lines = [
      "Search:",
      "Find: …",
      "Search: hours",
      "Search: hours",
      ..."abcdefg".split("").map((x) => `Find: ${x}${x}`),
    ];
    const { lookUps } = readProse(lines.join("\n"), true);
    expect(lookUps.map(({ by, words }) => `${by} ${words}`)).toEqual([
      ...["search hours", "find aa", "find bb", "find cc", "find dd", "find ee"],
    ]);
    expect(readProse("Outline:", true).lookUps).toEqual([{ by: "outline", words: "" }]);
    expect(readProse(`Find: ${"x".repeat(5_000)}`, true).lookUps[0]?.words).toHaveLength(300);
  });

  test("that was not told how to ask keeps such a line as part of its answer", () => {
    const reply = "The page has two parts.\nSearch: finds documents.";
    expect(readProse(reply)).toEqual({ ...NOTHING, text: reply });
  });

  test("that does not know has its labels in a list too", () => {
    const reply = "- I don't know.\n- **Missing:** the hour, [1] has the days.\n- Search: opening hours";
    const missing = "the hour, [1] has the days.";
    expect(readProse(reply)).toEqual({ ...NOTHING, missing });
    expect(readProse(reply, true)).toEqual({
      ...NOTHING,
      missing,
      lookUps: [{ by: "search", words: "opening hours" }],
    });
  });

  test.each(["Sources: 1, 2", "Sources: [1], [2]", "**Sources:** [1] hours.md, [2] days.md", "- Sources: [1], [2]"])(
    "has the numbers of its sources on a line of their own: %s",
    (line) => {
      const { text, sources } = readProse(`- It opens at eight.\n${line}`);
      expect([text, sources]).toEqual(["- It opens at eight.", ["1", "2"]]);
    },
  );

  test("is read without preceding thoughts and a surrounding fence", () => {
    expect(readProse("<think>Hm. Search: x</think>\n```text\nAt eight [1].\n```").text).toBe("At eight [1].");
    expect(readProse("```\nAt eight [1].").text).toBe("At eight [1].");
  });
});

describe("a reply in JSON to a request for prose", () => {
  test.each([
    ["text", { text: "At eight [1]." }],
    ["answer", { answer: "At eight [1]." }],
    ["claims", { claims: [{ text: "At eight", source: 1, quote: "eight" }, { text: 7 }] }],
  ])("is read from its %s", (_, reply) => {
    expect(readProse(`\`\`\`json\n${JSON.stringify(reply)}\n\`\`\``).text).toContain("At eight");
    expect(readProse(JSON.stringify(reply)).text).toContain("[1]");
  });

  test("keeps its other fields if they are strings", () => {
    const reply = { text: "I don't know", ask: "Which?", missing: 7, look: ["Search: hours", "Lisbon"] };
    const lookUps = [{ by: "search", words: "hours" }];
    expect(readProse(JSON.stringify(reply), true)).toEqual({ ...NOTHING, ask: "Which?", lookUps });
  });

  test.each(['{"text": "At ei', "{", "{{{", '{"claims": [{"text"'])("is empty if it is cut off: %s", (reply) => {
    expect(readProse(reply)).toEqual(NOTHING);
  });
});

/** Six numbered entries. */
const listed = (entry: (number: number) => string) => [1, 2, 3, 4, 5, 6].map(entry).join("");

describe("a reply goes on endlessly", () => {
  test.each([
    ["sentence after sentence", `At eight [1]. ${"The office opens at eight. ".repeat(5)}`, true],
    ["sentence after sentence in Chinese", `八点[1]。${"办公室八点开门。".repeat(5)}`, true],
    ["word after word", "so ".repeat(20), true],
    ["number after number", Array.from({ length: 60 }, (_, i) => `[${i + 1}]`).join("\n"), true],
    ["source after source", listed((i) => `[${i}] The museum stands on the quay.\n\n`), true],
    ["in a list", listed((i) => `${i}. The museum stands on the quay.\n`), true],
    ["not in a list of like entries", listed((i) => `${i}. Room ${i} has ${i * 3} seats.\n`), false],
    ["not with four times the same", "The office opens at eight. ".repeat(4), false],
    [
      "not with like sentences",
      Array.from({ length: 30 }, (_, i) => `Room ${i} has ${i * 3} seats [1]. `).join(""),
      false,
    ],
    ["not with a table of many columns", `${"| a ".repeat(3)}|\n${"| --- ".repeat(20)}|\n`, false],
  ])("%s", (_, text, wanted) => {
    expect(isEndless(text)).toBe(wanted);
  });
});
