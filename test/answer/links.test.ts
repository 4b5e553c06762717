import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerAsMarkdown } from "../../src/answer/compose.js";
import { hashOf, linkTo, opening, placeIn } from "../../src/answer/links.js";
import type { Reference } from "../../src/types/answer.js";
import { JOBS, OPEN_JOBS } from "../computed.js";

const SITE = "https://emend.example.org";
const QUOTE = "Staff have 28 days (paid) of leave.";

const reference = (given: Partial<Reference> = {}): Reference => ({
  number: 1,
  evidenceId: "docs/leave.md#2",
  source: "document",
  title: "Leave",
  uri: "docs/leave.md",
  section: "",
  date: "2026-05-12",
  ...given,
});
const claim = (...quotes: string[]) => ({
  text: "28 days.",
  support: "supported" as const,
  citations: quotes.map((quote) => ({ reference: 1, quote, start: 0, end: quote.length })),
});
const opens = (given: Partial<Reference>, site: string | undefined = SITE, quotes = [QUOTE]) =>
  opening({ references: [reference(given)], claims: [claim(...quotes)] }, site).references[0]?.opens;

describe("a reference opens", () => {
  test("at its quotes on the page of the server", () => {
    const address = opens({}, SITE, [QUOTE, "Ask HR.", QUOTE]);
    expect(address).toMatch(/^https:\/\/emend\.example\.org\/#\/source\/docs%2Fleave\.md%232\?quote=Staff%20have/);
    expect(address).not.toMatch(/[\s()[\]'"<>]/);
    expect(placeIn(new URL(address ?? "").hash)).toEqual({ id: "docs/leave.md#2", quotes: [QUOTE, "Ask HR."] });
  });

  test("at its own address if it has one, whatever the server", () => {
    const uri = "https://wiki.example.org/leave";
    for (const site of [SITE, undefined])
      expect(opens({ uri }, site)).toBe(`${uri}#:~:text=Staff%20have%2028%20days%20%28paid%29%20of%20leave.`);
  });

  test("nowhere if neither it nor the server has an address", () => {
    expect(opening({ references: [reference()], claims: [claim(QUOTE)] }, undefined).references).toEqual([reference()]);
  });

  test("at the first row that a figure rests on", () => {
    const [table] = OPEN_JOBS.tables;
    const address = opens({ source: "table", evidenceId: "table:1", computed: OPEN_JOBS, uri: JOBS.uri });
    const { id, quotes } = placeIn(new URL(address ?? "").hash) ?? {};
    expect(id).toBe(`${JOBS.documentId}#${table?.used[0]?.passage}`);
    expect(quotes).toEqual([table?.used[0]?.cells.join(" | ")]);
  });

  test("at the document of a fact, and nowhere for a fact of a graph alone", () => {
    expect(opens({ source: "graph", evidenceId: "graph:1" })).toBe(`${SITE}/#/source/docs%2Fleave.md`);
    expect(opens({ source: "graph", evidenceId: "graph:1", uri: "graph:query" })).toBeUndefined();
  });

  test("by a link in the list of sources, which keeps its path", () => {
    const cited = opening({ references: [reference()], claims: [claim("Ask HR.")] }, SITE);
    const answer = { ...cited, text: "28 days [1].", language: "en" };
    expect(answerAsMarkdown(answer as Parameters<typeof answerAsMarkdown>[0])).toBe(
      `28 days [1].\n\n**Sources**\n\n[1] [Leave](${SITE}/#/source/docs%2Fleave.md%232?quote=Ask%20HR.) (\`docs/leave.md\`)\n> Ask HR.`,
    );
  });
});

describe("the address of a place", () => {
  test("is read as it was written, whatever is in it", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(text, fc.uniqueArray(text, { maxLength: 4 }), (id, quotes) => {
        const hash = new URL(hashOf({ id, quotes }), "https://a.example/").hash;
        const whole = quotes.map((quote) => quote.toWellFormed());
        expect(placeIn(hash)).toEqual({ id: id.toWellFormed(), quotes: [...new Set(whole)] });
      }),
    );
  });

  test("has some thousand characters at most", () => {
    const long = Array.from({ length: 50 }, (_, i) => `${i} ${"渡".repeat(3_000)}`);
    expect(hashOf({ id: "a#1", quotes: long }).length).toBeLessThan(10_000);
    expect(placeIn(hashOf({ id: "a#1", quotes: long }))?.quotes[0]).toBe(long[0]?.slice(0, 1_000));
  });

  test.each(["", "#question", "#/quality", "#/source/", "#/source/?quote=x", "#/source/%E0%A4%A"])(
    "is not read from %j",
    (hash) => {
      expect(placeIn(hash)).toBeUndefined();
    },
  );
});

describe("the address of a page at a quote", () => {
  test.each([
    ["- **Dogs** travel `free`.", "#:~:text=Dogs%20travel%20free."],
    ["## Dogs", "#:~:text=Dogs"],
    ["| Dogs | free |", ""],
    ["See [the rules](rules.html).", ""],
  ])("has the words that the page shows of %j", (quote, fragment) => {
    expect(linkTo("https://example.org/a", quote)).toBe(`https://example.org/a${fragment}`);
  });

  test("of a PDF names its page", () => {
    expect(linkTo("https://example.org/a.pdf", "Dogs", "Fares › p. 12")).toBe("https://example.org/a.pdf#page=12");
    expect(linkTo("https://example.org/a.pdf", "狗", "第3页（扫描识别，可信度98%）")).toBe(
      "https://example.org/a.pdf#page=3",
    );
    expect(linkTo("https://example.org/a.pdf", "Dogs")).toBe("https://example.org/a.pdf#:~:text=Dogs");
  });
});
