import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { blocksOf } from "../../src/page/blocks.js";
import { eventsIn } from "../../src/page/events.js";
import { markedIn, pageOf } from "../../src/page/quotes.js";
import { inChinese } from "../../src/page/reasons.js";
import { asked, turnAfter, turnFrom } from "../../src/page/turn.js";
import type { Cited } from "../../src/types/conversation.js";
import type { AgentEvent } from "../../src/types/events.js";

const cited = (reference: number, claim: string, quote: string, evidenceId = `d#${reference}`): Cited => ({
  ...{ reference, claim, quote, evidenceId, start: 0, end: quote.length },
  ...{ support: "supported", source: "document", title: "", section: "", uri: "" },
});

describe("the text of an answer", () => {
  test("is read as paragraphs and lists, and as nothing else", () => {
    const text = "Two steps:\n1. Open <b>it</b>.\n2. 关闭`x`。\n\n- one\n- [two](https://example.org)";
    expect(blocksOf(text, []).map(({ kind, lines }) => [kind, lines.length])).toEqual([
      ["text", 1],
      ["steps", 2],
      ["bullets", 2],
    ]);
    expect(blocksOf(text, [])[1]?.lines).toEqual([
      [{ words: "Open <b>it</b>." }],
      [{ words: "关闭" }, { code: "x" }, { words: "。" }],
    ]);
  });

  test("has at each marker the quotes of its own sentence, and elsewhere all of its source", () => {
    const citations = [cited(1, "A.", "a"), cited(1, "A.", "also a"), cited(2, "A.", "b"), cited(1, "B.", "c")];
    const text = "A [1][2]. B [1].\n\nThe sources disagree: [2] and [1].";
    const markers = blocksOf(text, citations).flatMap(({ lines }) =>
      lines.flat().flatMap((piece) => ("marker" in piece ? [piece.quotes.map(({ quote }) => quote)] : [])),
    );
    expect(markers).toEqual([["a", "also a"], ["b"], ["c"], ["b"], ["a", "also a", "c"]]);
  });
});

describe("a turn", () => {
  const claim = (text: string, evidenceId: string): AgentEvent => ({
    type: "claim",
    claim: { text, support: "supported", citations: [{ reference: 1, quote: text, start: 0, end: text.length }] },
    references: [{ number: 1, evidenceId, source: "document", title: "", uri: "", section: "", date: "" }],
  });

  test("shows sentences as they are checked, with the numbers of their sources in the order shown", () => {
    const events = [claim("A.", "x#0"), claim("B.", "y#0"), claim("C.", "x#0")];
    const turn = events.reduce(turnAfter, asked("Q?"));
    expect(turn.claims.map(({ citations }) => citations[0]?.reference)).toEqual([1, 2, 1]);
  });

  test("that waits for queries to be approved shows these, and not their words in the thread as an answer", () => {
    const said = { question: "Q?", text: "May this be sent?", status: "needs_clarification", citations: [] } as const;
    const turn = turnFrom({ ...said, citations: [] }, { type: "approve", queries: ["Q"], reason: "" });
    expect(turn).toMatchObject({ text: "", isRunning: false, waiting: { queries: ["Q"] } });
    expect(turn.status).toBeUndefined();
  });

  test("takes back what did not hold", () => {
    const taken: AgentEvent = { type: "retracted", text: "A.", reason: "It says B." };
    const turn = turnAfter(turnAfter(asked("Q?"), claim("A.", "x#0")), taken);
    expect(turn).toMatchObject({ claims: [], takenBack: [{ text: "A.", reason: "It says B." }] });
  });
});

describe("quotes in a passage", () => {
  const quote = (text: string, start: number) => ({ quote: text, start, end: start + text.length });

  test("are marked where they are, also where they overlap, and not where they are not", () => {
    const parts = markedIn("one two three one", [
      quote("one", 14),
      quote("two th", 4),
      quote("wo", 5),
      quote("three", 8),
      quote("four", 0),
    ]);
    expect(parts).toEqual([
      { text: "one ", isQuote: false },
      { text: "two th", isQuote: true },
      { text: "ree", isQuote: true },
      { text: " ", isQuote: false },
      { text: "one", isQuote: true },
    ]);
  });

  test("are found by their words if the passage has moved", () => {
    expect(markedIn("旧的。新的。", [quote("新的。", 0)]).map(({ text }) => text)).toEqual(["旧的。", "新的。"]);
  });

  test.each([
    ["Timetable › p. 12", "12"],
    ["第3页", "3"],
    ["p. 4 of the plan", ""],
    ["Leave", ""],
  ])("of a PDF name its page: %s", (section, page) => {
    expect(pageOf(section)).toBe(page);
  });
});

test("every reason that a step is followed by another for is told in Chinese, too", () => {
  const code = readFileSync("src/graph/routes.ts", "utf8");
  const plain = [...code.matchAll(/"([A-Z][^"]*\.)"/g)].map(([, reason = ""]) => reason);
  const counted = [...code.matchAll(/"((?:\w+ )+to (?:grade|check)\.)"/g)].map(([, what]) => `3 ${what}`);
  const made = ["No pages found for “a”, “b”.", "Search for: ferry"];
  const drafted = ["The draft leaves something open", "The draft is empty"].flatMap((draft) =>
    ["ask the knowledge graph", "look for what is missing", "search the web"].map((then) => `${draft}: ${then}.`),
  );
  const reasons = [...plain, ...counted, ...made, ...drafted];
  expect(reasons.length).toBeGreaterThan(40);
  expect(reasons.filter((reason) => !/^\p{Script=Han}/u.test(inChinese(reason)))).toEqual([]);
  expect(inChinese("2 pages found for “$1”.")).toBe("搜索“$1”，找到2个网页。");
  expect(inChinese("Something new.")).toBe("Something new.");
});

describe("events", () => {
  async function* pieces(...texts: string[]) {
    yield* texts;
  }

  test("are read whole, however they are cut", async () => {
    const events = [];
    for await (const event of eventsIn(
      pieces("event: cl", 'arify\ndata: {"type":"clarify","ques', 'tion":"哪个？","reason":""}\n', "\n:\n\n"),
    ))
      events.push(event);
    expect(events).toEqual([{ type: "clarify", question: "哪个？", reason: "" }]);
  });

  test("of a server that failed throw what it says", async () => {
    await expect(eventsIn(pieces('event: error\ndata: {"error":"No disk."}\n\n')).next()).rejects.toThrow("No disk.");
  });
});
