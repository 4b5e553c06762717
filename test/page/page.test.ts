import { describe, expect, test, vi } from "vitest";
import { pageOf } from "../../src/answer/links.js";
import { joined, paragraph, withText } from "../../src/answer/segments.js";
import { rememberConversation } from "../../src/page/conversations.js";
import { blocksIn, markedIn, quoted, spansIn } from "../../src/page/passage.js";
import { asked, blocksOf, eventsIn, turnAfter, turnFrom } from "../../src/page/turn.js";
import type { AgentEvent } from "../../src/types/events.js";
import { labelOf } from "../../src/types/label.js";
import { OPEN_JOBS } from "../computed.js";

describe("an answer", () => {
  test("shows its items as lists and everything else as paragraphs", () => {
    const kinds = ["text", "lead", "step", "step", "bullet", "note", "bullet"] as const;
    const segments = kinds.map((kind, i) => paragraph(`${i}`, kind));
    expect(blocksOf(segments).map(({ kind, lines }) => [kind, joined(lines.flat())])).toEqual([
      ["text", "01"],
      ["steps", "23"],
      ["bullets", "4"],
      ["text", "5"],
      ["bullets", "6"],
    ]);
  });
});

const NOTHING_TAKEN = { faults: [], calls: 0, tokens: 0, milliseconds: 0 };

describe("a turn", () => {
  const claim = (text: string, evidenceId: string): AgentEvent => ({
    type: "claim",
    claim: { text, support: "supported", citations: [{ reference: 1, quote: text, start: 0, end: text.length }] },
    references: [{ number: 1, evidenceId, source: "document", title: "", uri: "", section: "", date: "" }],
  });

  test("shows sentences as they are checked, with sources numbered in the order of appearance", () => {
    const events = [claim("A.", "x#0"), claim("B.", "y#0"), claim("C.", "x#0")];
    const turn = events.reduce(turnAfter, asked("Q?"));
    expect(turn.claims.map(({ citations }) => citations[0]?.reference)).toEqual([1, 2, 1]);
  });

  test.each([
    ["unsure", "unsure", "unsure"],
    ["partial", "partly_supported", "partial"],
    // As it was kept before `unsure` was a status.
    ["partial", "unsure", "unsure"],
  ] as const)("that ends %s, %s is labelled %s", (status, stopReason, label) => {
    const kept = { question: "Q?", status, stopReason, ...withText([paragraph("A.")]) } as const;
    const turn = turnFrom({ ...kept, citations: [] });
    expect(labelOf({ ...turn, status: turn.status ?? "answered" })).toBe(label);
  });

  test("that waits for approval of queries shows the queries, and not their message in the thread as an answer", () => {
    const asking = { question: "Q?", status: "needs_clarification", citations: [] } as const;
    const before = { ...asking, ...withText([paragraph("May this be sent?")]), citations: [] };
    const turn = turnFrom(before, { type: "approve", queries: ["Q"] });
    expect(turn).toMatchObject({ segments: [], isRunning: false, waiting: { queries: ["Q"] } });
    expect(turn.status).toBeUndefined();
  });

  test("shows which sentences wait for their check, until they are checked or the draft is over", () => {
    const pending = (text: string): AgentEvent => ({ type: "pending", text });
    const waiting = [pending("A."), pending("B.")].reduce(turnAfter, asked("Q?"));
    expect(waiting.pending).toEqual(["A.", "B."]);
    expect(turnAfter(waiting, claim("A.", "x#0"))).toMatchObject({ pending: ["B."], claims: [{ text: "A." }] });
    const went = (to: string): AgentEvent => ({
      type: "decision",
      decision: { ...{ step: "checkAnswer", to, reason: { code: "repair" } }, ...NOTHING_TAKEN },
    });
    expect(turnAfter(waiting, went("respond")).pending).toEqual(["A.", "B."]);
    expect(turnAfter(waiting, went("generate")).pending).toEqual([]);
  });

  test("has what was computed from tables, as its sentences come and in the end", () => {
    const [one, two] = ["x", "y"].map((id) => {
      const event = claim(id, id) as Extract<AgentEvent, { type: "claim" }>;
      return { ...event, references: event.references.map((one) => ({ ...one, computed: OPEN_JOBS })) };
    });
    if (!one || !two) throw new Error("no claims");
    expect([one, two, claim("z", "z")].reduce(turnAfter, asked("Q?")).computed).toEqual({ x: OPEN_JOBS, y: OPEN_JOBS });
  });

  test("removes withdrawn sentences", () => {
    const taken: AgentEvent = { type: "retracted", text: "A.", reason: { code: "source_denies" } };
    const turn = turnAfter(turnAfter(asked("Q?"), claim("A.", "x#0")), taken);
    expect(turn).toMatchObject({ claims: [], takenBack: [{ text: "A.", reason: { code: "source_denies" } }] });
  });
});

describe("quotes in a passage", () => {
  const quote = (text: string, start: number) => ({ quote: text, start, end: start + text.length });

  test("are marked at their offsets, even if they overlap, and nowhere if the words differ", () => {
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

  test("are found however their cells are parted and their words are spaced", () => {
    const text = "| Job | Cost |\n| --- | --- |\n| Roof | 5 \\| 6 EUR |";
    expect(spansIn(text, [quoted("Roof | 5 | 6 EUR"), quoted("Job  Cost")])).toEqual([
      { start: 2, end: 12 },
      { start: 31, end: 48 },
    ]);
    expect(spansIn(text, [quoted(""), quoted("| |"), quoted("Wall (.*)+[")])).toEqual([]);
  });

  test("mark whole rows of a table, and words of the text around it", () => {
    const text = "The jobs:\n\n| Job | Cost |\n| --- | ---: |\n| Roof | 5 EUR |\n| A \\| B | 6 EUR |\n\nAsk Ann.";
    expect(blocksIn(text, [quoted("B | 6"), quoted("Ann")])).toEqual([
      { kind: "text", parts: [{ text: "The jobs:\n\n", isQuote: false }] },
      {
        kind: "table",
        columns: ["Job", "Cost"],
        rows: [
          { cells: ["Roof", "5 EUR"], isUsed: false },
          { cells: ["A | B", "6 EUR"], isUsed: true },
        ],
      },
      {
        kind: "text",
        parts: [
          { text: "Ask ", isQuote: false },
          { text: "Ann", isQuote: true },
          { text: ".", isQuote: false },
        ],
      },
    ]);
  });

  test.each(["", "| no table", "a | b\n| c |", "| a |\n\n| --- |"])("are in a text without a table: %j", (text) => {
    expect(blocksIn(text, []).every(({ kind }) => kind === "text")).toBe(true);
  });

  test.each([
    ["Timetable › p. 12", "12"],
    ["p. 2 (scan, 99 % certain)", "2"],
    ["第3页", "3"],
    ["p. 4 › Notes", "4"],
    ["p. 4 of the plan", ""],
    ["Leave", ""],
  ])("of a PDF name its page: %s", (section, page) => {
    expect(pageOf(section)).toBe(page);
  });
});

describe("server-sent events", () => {
  async function* pieces(...texts: string[]) {
    yield* texts;
  }

  test("are read completely, however they are split into chunks", async () => {
    const events = [];
    for await (const event of eventsIn(
      pieces("event: cl", 'arify\ndata: {"type":"clarify","ques', 'tion":"哪个？","reason":""}\n', "\n:\n\n"),
    ))
      events.push(event);
    expect(events).toEqual([{ type: "clarify", question: "哪个？", reason: "" }]);
  });

  test("of a server that failed throw its message", async () => {
    await expect(eventsIn(pieces('event: error\ndata: {"error":"No disk."}\n\n')).next()).rejects.toThrow("No disk.");
  });
});

test("a browser that stores nothing still lists the conversation", () => {
  const full = () => {
    throw new Error("The quota has been exceeded.");
  };
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: full });
  try {
    expect(rememberConversation("a", "Who has the key?", "")).toMatchObject([{ id: "a", title: "Who has the key?" }]);
  } finally {
    vi.unstubAllGlobals();
  }
});
