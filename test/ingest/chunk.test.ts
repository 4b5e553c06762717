import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunk } from "../../src/ingest/chunk.js";
import { tokensIn } from "../../src/text/token-count.js";
import { CHINESE, ENGLISH, flaw, markdown, plainText } from "./documents.js";

const texts = (text: string, title = "") => chunk(markdown(text, title)).map((passage) => passage.text);
const repeated = (text: string, times: number) => Array<string>(times).fill(text.trim()).join("\n\n");

describe("a passage", () => {
  test("has the metadata of its document and its position", () => {
    const passages = chunk(markdown(`# Leave\n\n${repeated(ENGLISH, 20)}`, "Leave"));
    expect(passages[1]).toMatchObject({
      id: "docs/a.md#1",
      documentId: "docs/a.md",
      position: 1,
      title: "Leave",
      uri: "docs/a.md",
      language: "en",
      reviewedAt: "2024-05-01",
      hash: "h1",
    });
  });

  test("has the language of its own words", () => {
    const passages = chunk(markdown(`# A\n\n${repeated(ENGLISH, 8)}\n\n# 乙\n\n${repeated(CHINESE, 8)}`));
    expect(passages.map((passage) => passage.language)).toEqual(["en", "zh", "zh"]);
  });

  test("names the headings above it, without the title of the document", () => {
    const body = repeated(ENGLISH, 8);
    const text = `# Handbook\n\n## Leave\n\n### Sick **leave** [form](x.html)\n\n${body}\n\n## Pay ##\n\n${body}`;
    expect(chunk(markdown(text, "Handbook")).map((passage) => passage.section)).toEqual([
      "Leave › Sick leave form",
      "Pay",
    ]);
    expect(chunk(markdown(text, "Other")).map((passage) => passage.section)).toEqual([
      "Handbook › Leave › Sick leave form",
      "Handbook › Pay",
    ]);
  });

  test("names underlined headings too", () => {
    const body = repeated(CHINESE, 6);
    expect(chunk(markdown(`员工手册\n====\n\n休假\n----\n\n${body}`, "员工手册"))[0]?.section).toBe("休假");
  });
});

describe("long prose", () => {
  test.each([
    ["in paragraphs", repeated(ENGLISH, 100)],
    ["in one paragraph", ENGLISH.repeat(100)],
    ["hard-wrapped", ENGLISH.repeat(100).replace(/(.{60,80}) /g, (line) => `${line.trimEnd()}\n`)],
  ])("in English is cut into 200 to 400 tokens: %s", (_name, text) => {
    for (const document of [markdown(text), plainText(text)]) {
      const passages = chunk(document);
      expect(flaw(text, passages)).toBe("");
      for (const passage of passages) {
        expect(passage.text.split(/\s+/).length * 1.3).toBeGreaterThanOrEqual(200);
        expect(passage.text.split(/\s+/).length * 1.3).toBeLessThanOrEqual(400);
        expect(passage.text).toMatch(/^Employees|^Requests|^Dr\. Smith/);
        expect(passage.text).toMatch(/\.$/);
      }
    }
  });

  test.each([
    ["in paragraphs", repeated(CHINESE, 100)],
    ["in one paragraph", CHINESE.repeat(100)],
    ["one line a paragraph", repeated(CHINESE, 100).replace(/\n\n/g, "\n")],
  ])("in Chinese is cut into 300 to 500 characters: %s", (_name, text) => {
    for (const document of [markdown(text), plainText(text)]) {
      const passages = chunk(document);
      expect(flaw(text, passages)).toBe("");
      for (const passage of passages) {
        expect(passage.text.length).toBeGreaterThanOrEqual(300);
        expect(passage.text.length).toBeLessThanOrEqual(500);
        expect(passage.text).toMatch(/[。；]$/);
      }
    }
  });

  test("without any sentence end is cut at spaces, within bounds", () => {
    const text = "word ".repeat(5000).trim();
    const passages = chunk(plainText(text));
    expect(flaw(text, passages)).toBe("");
    expect(passages.every((passage) => tokensIn(passage.text) <= 400 && passage.text.endsWith("word"))).toBe(true);
  });

  test("is never cut inside a character", () => {
    for (const unit of ["👩🏽‍💻", "𠮷", "e\u0301"])
      for (const before of ["", "a ", "a a ", "字", "a字字"]) {
        const passages = texts(before + unit.repeat(3000));
        expect(passages.length).toBeGreaterThan(1);
        for (const text of passages) expect(["", before.trim()]).toContain(text.replaceAll(unit, "").trim());
      }
  });
});

describe("the structure of a document is kept:", () => {
  test("a section is not mixed with the next one", () => {
    const passages = texts(`## A\n\n${repeated(`alpha ${ENGLISH}`, 7)}\n\n## B\n\n${repeated(`beta ${ENGLISH}`, 3)}`);
    expect(passages.map((text) => [text.includes("alpha"), text.includes("beta")])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test("small sections under one heading are combined under the name of that heading", () => {
    const small = (name: string) => `### ${name}\n\n${ENGLISH}\n\n`;
    const passages = chunk(
      markdown(`# T\n\n## Leave\n\n${small("Sick")}${small("Parental")}## Pay\n\n${repeated(ENGLISH, 8)}`, "T"),
    );
    expect(passages.map((passage) => passage.section)).toEqual(["Leave", "Pay"]);
    expect(passages[0]?.text).toContain("### Sick");
    expect(passages[0]?.text).toContain("### Parental");
  });

  test("a heading stays with the text below it, and a lone line joins its neighbour", () => {
    const passages = chunk(
      markdown(`# T\n\nOne line.\n\n## Leave\n\n${repeated(ENGLISH, 8)}\n\n## 附录\n\n一行。\n`, "T"),
    );
    expect(passages).toHaveLength(1);
    expect(passages[0]?.text).toMatch(/^# T\n\nOne line\.\n\n## Leave/);
    expect(passages[0]?.text).toMatch(/## 附录\n\n一行。$/);
    expect(passages[0]?.section).toBe("");
  });

  test.each([
    ["English", "One line.", "Gym", ENGLISH],
    ["Chinese", "一行。", "健身房", CHINESE],
  ])(
    "a passage has the name of its section even if an introductory line comes first: %s",
    (_name, line, name, body) => {
      const sections = (text: string) => chunk(markdown(text, "T")).map(({ section }) => section);
      expect(sections(`# T\n\n${line}\n\n## ${name}\n\n${repeated(body, 3)}`)).toEqual([name]);
      expect(sections(`# T\n\n## ${name}\n\n${line}\n\n### A\n\n${repeated(body, 3)}`)).toEqual([`${name} › A`]);
      expect(sections(`# T\n\n## Empty\n\n## ${name}\n\n${repeated(body, 3)}`)).toEqual([name]);
    },
  );

  test.each([
    ["English", "Parking", "A space is 40 euros.", "Gym", "It opens at six.\n\nIt closes at ten.\n\nBring a card."],
    ["Chinese", "停车", "车位每月四十元。", "健身房", "六点开门。\n\n十点关门。\n\n请带卡。"],
  ])("a short section never gets the name of its neighbour: %s", (_name, short, line, long, lines) => {
    const tiny = (name = short) => `## ${name}\n\n${line}\n\n`;
    const section = (name: string, body: string) => `## ${name}\n\n${body}\n\n`;
    const big = section(long, repeated(lines, 20));
    const tables = `- a: 1\n- b: 2\n\n${section(long, lines)}`;
    for (const text of [
      tiny() + section(long, lines),
      section(long, lines) + tiny(),
      tiny() + big,
      big + tiny(),
      tiny() + tiny("A") + big,
      big + tiny() + tiny("A"),
      tables,
    ])
      for (const passage of chunk(markdown(`# T\n\n${text}`, "T"))) {
        const isMixed = passage.text.includes(line) || passage.text.includes("a: 1");
        expect(passage.section).toBe(isMixed ? "" : long);
      }
  });

  test("paragraphs of a good size become separate passages", () => {
    for (const paragraph of [ENGLISH.repeat(7).trim(), CHINESE.repeat(4)])
      expect(texts(repeated(paragraph, 6))).toEqual(Array(6).fill(paragraph));
  });

  test("a list item is not cut", () => {
    const items = Array.from(
      { length: 60 },
      (_, i) => `- item ${i}: ${i % 2 ? CHINESE : ENGLISH.trim()}\n  continued ${i}`,
    );
    for (const text of texts(items.join("\n"))) {
      expect(text).toMatch(/^- item/);
      expect(text).toMatch(/continued \d+$/);
    }
  });

  test("a list stays with the sentence that introduces it", () => {
    for (const colon of [":", "："])
      for (let length = 4; length < 40; length++) {
        const list = Array.from({ length }, (_, i) => `- point number ${i} of the list`).join("\n");
        const passages = texts(`${repeated(ENGLISH, 8)}\n\nThese apply${colon}\n\n${list}`);
        expect(passages.find((text) => text.includes("These apply"))).toContain("point number 0");
      }
  });

  test.each([
    ["English", "Every borrower provides:", "- ", ENGLISH.trim()],
    ["English, in Word's bullets", "Every borrower provides:", "• ", ENGLISH.trim()],
    ["Chinese", "借方应提供下列材料：", "- ", CHINESE],
    ["Chinese, in Chinese numbers", "借方应提供下列材料：", "三、", CHINESE],
  ])(
    "a long list is cut between items, and every part begins with its introduction: %s",
    (_name, lead, mark, words) => {
      const items = Array.from({ length: 40 }, () => `${mark}${words}`);
      const source = `${lead}\n\n${items.join("\n")}`;
      const passages = chunk(markdown(source));
      expect(passages.length).toBeGreaterThan(2);
      expect(flaw(source, passages)).toBe("");
      for (const { text } of passages) {
        expect(text.split("\n")[0]).toBe(lead);
        expect(tokensIn(text)).toBeLessThanOrEqual(400);
      }
    },
  );

  test.each([
    [
      "English",
      (i: number) =>
        `Ines Falk, number ${i}, coordinates the guides. She is in on Tuesdays. She has a desk. It is red. She answers. `,
    ],
    ["Chinese", (i: number) => `第${i}位讲解员由罗听雪管理。她每周三在馆。她的办公室在四楼。其电话常忙。她会回信。`],
  ])("a passage does not begin with a pronoun if it can begin one sentence earlier: %s", (_name, pair) => {
    const paragraph = Array.from({ length: 61 }, (_, i) => pair(i)).join("");
    const passages = texts(paragraph);
    expect(passages.length).toBeGreaterThan(2);
    for (const text of passages) expect(text).toMatch(/^(?:Ines|第)/);
    for (const text of texts(repeated(paragraph.replaceAll(/(?<=[.。]) ?(?=She is|她每)/g, "\n\n"), 1)))
      expect(text).toMatch(/^(?:Ines|第)/);
  });

  test("a code block is not cut unless it is too long, and then between lines", () => {
    const code = (lines: number) =>
      `\`\`\`ts\n${Array.from({ length: lines }, (_, i) => `const value${i} = compute(${i});`).join("\n")}\n\`\`\``;
    const short = `${repeated(ENGLISH, 7)}\n\n${code(40)}\n\n${repeated(ENGLISH, 7)}`;
    expect(
      texts(short)
        .filter((text) => text.includes("const value"))
        .map((text) => text.includes(code(40))),
    ).toEqual([true]);
    const long = texts(code(400));
    expect(long.length).toBeGreaterThan(3);
    for (const text of long.slice(0, -1)) expect(text).toMatch(/;$/);
    for (const text of long.slice(1)) expect(text).toMatch(/^const/);
  });

  test.each([
    [
      "English",
      "| Name | Days |\n| --- | --- |",
      (i: number) => `| Project ${i} | ${i} days after a request in writing |`,
    ],
    ["Chinese", "|名称|天数|\n|:--|--:|", (i: number) => `|项目${i}|${i} 天，需要提前两周提出书面申请|`],
    [
      "CRLF",
      "| Name | Days |\r\n| --- | --- |",
      (i: number) => `| Project ${i} | ${i} days after a request in writing |`,
    ],
  ])("a long table is cut between rows, and every part begins with its header: %s", (_name, head, row) => {
    const end = head.includes("\r\n") ? "\r\n" : "\n";
    const source = ["", head, ...Array.from({ length: 120 }, (_, i) => row(i))].join(end);
    const passages = chunk(markdown(source));
    expect(passages.length).toBeGreaterThan(2);
    expect(flaw(source, passages)).toBe("");
    for (const { text } of passages) {
      expect(text.startsWith(head + end)).toBe(true);
      expect(text.split(end).every((line) => source.split(end).includes(line))).toBe(true);
      expect(tokensIn(text)).toBeLessThanOrEqual(400);
    }
  });

  test("a row of a table is not cut even if it is long", () => {
    const row = `| a | ${ENGLISH.repeat(12)} |`;
    expect(texts(`| x | y |\n|---|---|\n${`${row}\n`.repeat(3)}`).map((text) => text.split("\n").at(-1))).toEqual([
      row,
      row,
      row,
    ]);
  });

  test("plain text has no headings, lists or tables", () => {
    const passages = chunk(plainText(`# not a heading\n\n${repeated(ENGLISH, 8)}`));
    expect(passages.map((passage) => passage.section)).toEqual([""]);
  });

  test("a blank document has no passages", () => {
    for (const text of ["", "\n\n  \n", "\u3000\n"]) expect(chunk(markdown(text))).toEqual([]);
  });
});

describe("in documents with random content", () => {
  const word = fc.constantFrom(
    ENGLISH,
    CHINESE,
    "Short. ",
    "短句。",
    "e.g. v1.2, ",
    "`code` ",
    "[link](http://a.b) ",
    "😀",
    "$& ",
  );
  const prose = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(""));
  const block = fc.oneof(
    prose,
    fc.tuple(fc.integer({ min: 1, max: 6 }), word).map(([depth, name]) => `${"#".repeat(depth)} ${name}`),
    word.map((name) => `${name}\n===`),
    fc
      .array(fc.tuple(fc.nat(3), prose), { minLength: 1, maxLength: 10 })
      .map((items) => items.map(([depth, item]) => `${"  ".repeat(depth)}- ${item}`).join("\n")),
    fc
      .array(prose, { maxLength: 40 })
      .map((rows) => ["| a | b |\n|---|---|", ...rows.map((row) => `| ${row} | 1 |`)].join("\n")),
    fc.array(prose, { maxLength: 30 }).map((lines) => `\`\`\`\n${lines.join("\n")}\n\`\`\``),
    prose.map((quote) => `> ${quote}\n> > deeper\nlazy`),
    fc.constantFrom(
      "---",
      "<div>\n\n</div>",
      "[ref]: http://a.b",
      "```",
      "    indented",
      "\t- tab",
      "* * *",
      "1) one",
      "<!-- open",
      "Short. These apply:",
      "下列材料：",
    ),
    fc.string({ unit: "grapheme", maxLength: 40 }),
  );
  const documents = fc
    .tuple(fc.array(block, { maxLength: 25 }), fc.constantFrom("\n\n", "\n", "\r\n\r\n", "\n \n\n", "\r"))
    .map(([blocks, between]) => blocks.join(between));

  test.each(["markdown", "text"] as const)(
    "every word is in exactly one passage, verbatim and in order: %s",
    (format) => {
      fc.assert(
        fc.property(documents, (text) => {
          const passages = chunk({ ...markdown(text), format });
          expect(flaw(text, passages)).toBe("");
          expect(passages.map(({ id }) => id)).toEqual(passages.map((_, i) => `docs/a.md#${i}`));
          expect(passages.every((passage) => passage.text.trim() !== "")).toBe(true);
        }),
        { numRuns: 300 },
      );
    },
  );
});
