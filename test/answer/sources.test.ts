import { decodeHTML } from "entities";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { sourceList, withoutSources } from "../../src/answer/compose.js";
import { linkTo } from "../../src/answer/links.js";
import type { Reference } from "../../src/types/answer.js";
import { OPEN_JOBS } from "../computed.js";
import { ATTACKS } from "../shown.js";

const reference = (of: Partial<Reference>): Reference => ({
  number: 1,
  evidenceId: "a",
  source: "web",
  title: "A page",
  uri: "https://example.org/a",
  section: "",
  date: "",
  ...of,
});
const quoted = (quote: string) => [
  { text: "", support: "supported" as const, citations: [{ reference: 1, quote, start: 0, end: quote.length }] },
];
const links = (text: string) =>
  [...new MarkdownIt({ html: true }).render(text).matchAll(/(?:href|src)="([^"]*)"/g)].map(([, to = ""]) =>
    decodeHTML(to),
  );

describe("the list of sources", () => {
  test("links to the quote on the page, and shows it", () => {
    const list = sourceList({ references: [reference({})], claims: quoted("It opens at eight."), language: "en" });
    expect(list).toBe(
      "**Sources**\n\n[1] [A page](https://example.org/a#:~:text=It%20opens%20at%20eight.)\n> It opens at eight.",
    );
  });

  test("shows the cells of a table, its heading first, without their bars", () => {
    const cited = (quote: string, start: number) => ({ reference: 1, quote, start, end: start + quote.length });
    const citations = [cited("| Firmware | a \\| b |", 40), cited("| Area | Lead |", 10), cited("| Area | Lead |", 10)];
    const claims = [{ text: "", support: "supported" as const, citations }];
    expect(sourceList({ references: [reference({ uri: "a.md" })], claims, language: "en" })).toMatch(
      /\n> Area · Lead\n>\n> Firmware · a \\+\| b$/,
    );
  });

  test("shows the first rows that a figure rests on, and what has no value", () => {
    const uri = "https://example.org/jobs";
    const references = [reference({ source: "table", title: "jobs", uri, computed: OPEN_JOBS })];
    const listed = (language: string) =>
      sourceList({ references, claims: quoted("added up: 4 of 12 rows"), language: language === "zh" ? "zh" : "en" });
    expect(listed("en").replaceAll("\n>\n", "\n")).toBe(
      [
        "**Sources**\n",
        "[1] [jobs](https://example.org/jobs)",
        "> added up: 4 of 12 rows",
        "> 4 of 12 rows of jobs",
        "> Job · State · Cost",
        "> 3: Roof · Open · 1.204,50 EUR",
        "> 8: Wall · Open · 95 EUR",
        "> 9: Lift · Open · 310 EUR",
        "> … 1 more row",
        "> 1 cell of Cost has no value that could be read and was left out",
      ].join("\n"),
    );
    expect(listed("zh")).toContain("> jobs共12行中的4行");
  });

  test("does not say which rows a figure rests on if they cannot be told apart", () => {
    const [{ matched: _, ...table }] = OPEN_JOBS.tables as [(typeof OPEN_JOBS)["tables"][0]];
    const references = [reference({ source: "table", computed: { ...OPEN_JOBS, tables: [table] } })];
    const list = sourceList({ references, claims: [], language: "en" });
    expect(list).toContain("> read from 12 rows of jobs\n");
    expect(list).toContain("> … 9 more rows");
  });

  test("cuts a long row, and shows where a cell is empty", () => {
    const [table] = OPEN_JOBS.tables as [(typeof OPEN_JOBS)["tables"][0]];
    const used = [
      { number: 1, cells: ["Roof", "", "95 EUR"], passage: 0 },
      { number: 2, cells: ["Wall", "屋".repeat(5_000)], passage: 0 },
    ];
    const computed = { ...OPEN_JOBS, tables: [{ ...table, used }] };
    const list = sourceList({ references: [reference({ source: "table", computed })], claims: [], language: "en" });
    expect(list).toContain("> 1: Roof · – · 95 EUR\n");
    expect(list).toMatch(/> 2: Wall · 屋{293}…\n/);
  });

  test("tells the tables of a figure apart by their addresses", () => {
    const [table] = OPEN_JOBS.tables as [(typeof OPEN_JOBS)["tables"][0]];
    const computed = { ...OPEN_JOBS, tables: [table, { ...table, name: "teams", uri: "docs/teams.csv" }] };
    const list = sourceList({ references: [reference({ source: "table", computed })], claims: [], language: "en" });
    expect(list).toContain("> 4 of 12 rows of jobs (docs/jobs.csv)\n");
    expect(list).toContain("> 4 of 12 rows of teams (docs/teams.csv)\n");
  });

  test("says until when a source is valid", () => {
    const references = [reference({ validFrom: "2026-01-01", validUntil: "2026-12-31" })];
    expect(sourceList({ references, claims: [], language: "en" })).toMatch(
      / · valid from 2026-01-01 until 2026-12-31$/,
    );
    expect(sourceList({ references, claims: [], language: "zh" })).toMatch(/ · 有效期2026-01-01至2026-12-31$/);
  });

  test("names a file without a link", () => {
    const list = sourceList({ references: [reference({ uri: "docs/a.md" })], claims: [], language: "zh" });
    expect(list).toBe("**来源**\n\n[1] A page (`docs/a.md`)");
  });

  test.each(ATTACKS)("links to nothing but the page, whatever its title, address and quote contain: %s", (_, words) => {
    const uri = `https://example.org/${words}`;
    const references = [reference({ title: words, section: words, uri })];
    const list = sourceList({ references, claims: quoted(words), language: "en" });
    const own = linkTo(uri, words);
    expect(links(list).filter((to) => !to.startsWith("https://example.org/"))).toEqual([]);
    expect(links(list).length).toBeLessThanOrEqual(1);
    expect(own).not.toMatch(/[\s()<>"]/);
  });

  test("is removed from an answer that a client sends back", () => {
    for (const language of ["en", "zh"] as const) {
      const list = sourceList({ references: [reference({})], claims: [], language });
      expect(withoutSources(`It opens at eight [1].\n\n${list}`)).toBe("It opens at eight [1].");
    }
  });
});

describe("a text fragment", () => {
  test.each([
    ["has what a fragment means by a dash escaped", "Re-open it, now & then", "Re%2Dopen%20it%2C%20now%20%26%20then"],
    [
      "of a long quote names its ends",
      "one two three four five six seven eight nine ten eleven twelve thirteen",
      "one%20two%20three%20four%20five%20six,eight%20nine%20ten%20eleven%20twelve%20thirteen",
    ],
    ["of a quote with half a character", "The centre \ud83d opens.", "The%20centre%20%EF%BF%BD%20opens."],
    ["of a long Chinese quote does so by characters", "甲乙丙丁戊己庚辛壬癸子丑寅卯", /^%E7.*,.*%E5%8D%AF$/],
  ])("%s", (_, quote, fragment) => {
    const [, text] = linkTo("https://example.org/", quote)?.split("#:~:text=") ?? [];
    if (typeof fragment === "string") expect(text).toBe(fragment);
    else expect(text).toMatch(fragment);
  });

  test.each(["docs/a.md", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.org", ""])(
    "is not made for %s, which is not a page",
    (uri) => {
      expect(linkTo(uri, "x")).toBeUndefined();
    },
  );
});
