import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { answerOf } from "../../src/answer/answer.js";
import { numberSources } from "../../src/answer/compose.js";
import type { Screen } from "../../src/cli/screen.js";
import { sources, transcript } from "../../src/cli/transcript.js";
import { State } from "../../src/state/state.js";
import type { Claim, Reference } from "../../src/types/answer.js";
import type { AgentEvent } from "../../src/types/events.js";
import type { Evidence } from "../../src/types/evidence.js";
import type { GraphRow } from "../../src/types/knowledge.js";
import type { Language } from "../../src/types/language.js";
import { OPEN_JOBS } from "../computed.js";

/** A screen without colours that records every write. */
function paper(width = Number.POSITIVE_INFINITY) {
  const writes: string[] = [];
  const screen: Screen = { write: (text) => void writes.push(text), width, paint: (_format, text) => text };
  return { screen, writes, text: () => writes.join("") };
}

const hours = piece("hours", "The Lisbon office opens at eight.");
const lunch = piece("lunch", "Lunch is from twelve to one.");
const shanghai = piece("上海", "上海办公室早上九点开门。");
const zhLunch = piece("午餐", "午餐十二点开始。");

describe("sentences appear one by one", () => {
  test("as each is checked, followed by the sources with their quotes", () => {
    const { screen, writes, text } = paper();
    const show = transcript(screen, "When does the Lisbon office open, and is there lunch?");
    show(claim(hours));
    expect(text()).toBe("The Lisbon office opens at eight [1].");
    show(claim(lunch));
    expect(text()).toBe("The Lisbon office opens at eight [1]. Lunch is from twelve to one [2].");
    show(answered([hours, lunch]));
    expect(text()).toMatch(/Sources\n\[1\] hours\n {4}hours\.md · reviewed 2026-02-01\n {4}“The Lisbon office opens/);
    expect(writes.slice(0, 2)).toEqual(["The Lisbon office opens at eight [1].", " Lunch is from twelve to one [2]."]);
  });

  test("in Chinese without spaces between them and with Chinese labels", () => {
    const { screen, text } = paper();
    const show = transcript(screen, "上海办公室几点开门，几点午餐？");
    show(claim(shanghai));
    show(claim(zhLunch));
    show(answered([shanghai, zhLunch], { language: "zh" }));
    expect(text()).toMatch(
      /^上海办公室早上九点开门\[1\]。午餐十二点开始\[2\]。\n\n来源\n\[1\] 上海\n.*审阅于2026-02-01/,
    );
  });

  test("wrapped at the width of the screen", () => {
    const grown = paper(30);
    const show = transcript(grown.screen, "When does the office open?");
    show(claim(hours));
    show(claim(lunch));
    show(answered([hours, lunch]));
    expect(grown.text()).toContain("The Lisbon office opens at\neight [1]. Lunch is from\ntwelve to one [2].\n");
  });
});

describe("steps are a numbered list", () => {
  test("whose first step is held back until the second arrives, since a single step is shown as a sentence", () => {
    const { screen, text } = paper();
    const show = transcript(screen, "How do I request access?");
    show(claim(hours));
    expect(text()).toBe("");
    show(claim(lunch));
    expect(text()).toBe("1. The Lisbon office opens at eight [1].\n2. Lunch is from twelve to one [2].");
  });

  test("unless there is only one, which is shown as a sentence", () => {
    const { screen, text } = paper();
    const show = transcript(screen, "How do I request access?");
    show(claim(hours));
    show(answered([hours]));
    expect(text()).toMatch(/^The Lisbon office opens at eight \[1\]\.\n\nSources/);
  });
});

test("a table row gets its own line, and the sentences shown before it stay unchanged", () => {
  const { screen, text } = paper();
  const row = piece("prices", "Postage: 4 euros");
  const show = transcript(screen, "When does the office open, and what is postage?");
  show(claim(hours));
  show(claim(row));
  show(claim(lunch));
  show(answered([hours, row, lunch]));
  expect(text()).toMatch(
    /^The Lisbon office opens at eight \[1\]\.\n- Postage: 4 euros \[2\]\n- Lunch is from twelve to one \[3\]\.\n\nSources/,
  );
});

test("the last text on the screen is the whole answer, for random sentences", () => {
  const words = fc.stringMatching(/^[ab中， ”（-]{1,6}[.。]?$/);
  const claims = fc.array(words, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(claims, fc.integer({ min: 6, max: 20 }), fc.constantFrom("Why?", "为什么？"), (texts, width, asked) => {
      const language = asked === "Why?" ? "en" : "zh";
      const pieces = texts.map((text, i) => piece(`p${i}`, text));
      const answer = answered(pieces, { language });
      const { screen, text } = paper(width);
      const show = transcript(screen, asked);
      for (const each of pieces) show(claim(each));
      show(answer);
      const [written = ""] = text().split(/\n\n(?:Sources|来源)\n/);
      const last = withoutSpace(written)
        .split(/Correctedanswer:|更正后的回答：/)
        .at(-1);
      expect(last).toBe(withoutSpace(answer.answer.text));
    }),
    { numRuns: 500 },
  );
});

const withoutSpace = (text: string) => text.replace(/\s/g, "");

describe("the reader ends up with the answer", () => {
  test("after a withdrawn sentence: the withdrawal is reported and the whole answer is shown again", () => {
    const { screen, text } = paper();
    const show = transcript(screen, "When does the office open?");
    show(claim(hours));
    show(claim(lunch));
    show({ type: "retracted", text: hours.text, reason: { code: "source_denies" } });
    show(answered([lunch]));
    const [streamed, retraction, heading, answer] = text().split("\n\n");
    expect(streamed).toContain("opens at eight [1]");
    expect(retraction).toBe("Withdrawn: “The Lisbon office opens at eight.” The source denies it.");
    expect(heading).toBe("Corrected answer:");
    expect(answer).toBe("Lunch is from twelve to one [1].");
  });

  test("after sources were renumbered: the whole answer is shown again", () => {
    const { screen, text } = paper();
    const show = transcript(screen, "When does the office open?");
    show(claim(hours));
    show(claim(lunch));
    show(answered([lunch, hours]));
    expect(text()).toContain(
      "Corrected answer:\n\nLunch is from twelve to one [1]. The Lisbon office opens at eight [2].",
    );
  });

  test("with an unanswered part, which is named once", () => {
    const { screen, text } = paper();
    const show = transcript(screen, "When does the office open, and who has the key?");
    show(claim(hours));
    show(answered([hours], { missing: "who has the key" }));
    expect(text().match(/Not answered: who has the key\./g)?.length).toBe(1);
    expect(text()).not.toContain("Corrected answer");
  });

  test("as a refusal if no sentence was shown", () => {
    const { screen, text } = paper();
    transcript(screen, "谁有钥匙？")(answered([], { language: "zh" }));
    expect(text()).toMatch(/^这些文档里没有找到。/);
    expect(text()).not.toContain("来源\n");
  });
});

test("a sentence of a Chinese answer is withdrawn with a reason in Chinese", () => {
  const { screen, text } = paper();
  const show = transcript(screen, "上海办公室几点开门？");
  show({ type: "retracted", text: "上海办公室八点开门。", reason: { code: "not_mentioned", missing: ["八点"] } });
  expect(text()).toBe("撤回：“上海办公室八点开门。”来源的相关内容没有提到“八点”。");
});

test("a document cannot send control sequences to the terminal, hide a link behind its words, or write to the clipboard", () => {
  const { screen, text } = paper();
  const link = "\u001b]8;;https://evil.example\u0007here\u001b]8;;\u0007.\u001b]52;c;aGk=\u0007";
  const hostile = piece("evil", `All is \u001b[2Jwell\u009b31m\u202e, \u0007says the note ${link}`);
  const show = transcript(screen, "Is all well?");
  show(claim(hostile));
  show({ type: "retracted", text: "\u001b]0;title\u0007x", reason: { code: "own", words: "\u001b[1m" } });
  show(answered([hostile]));
  expect(text()).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  expect(text()).toContain("says the note here");
  expect(text()).not.toContain("evil.example");
});

test.each([
  ["http://host/a?b=1&c=2", '"http://host/a?b=1&c=2"'],
  ["http://host/$(touch x)`id`';!\\", '"http://host/%24(touch%20x)%60id%60%27;%21%5c"'],
  ["http://host/a%20b", "http://host/a%20b"],
  ["http://host/[2]", '"http://host/%5B2]"'],
])("the suggested ingest command is safe to paste into a shell for the address %s", (uri, shown) => {
  const { screen, text } = paper();
  transcript(screen, "Is all well?")(answered([{ ...hours, source: "web", uri }]));
  expect(text()).toContain(`To keep it: emend ingest ${shown}\n`);
});

test("numbers in brackets in withdrawn, missing and quoted text do not look like citations", () => {
  const { screen, text } = paper();
  const show = transcript(screen, "When does the office open?");
  const noted = { ...piece("notes [3]", "Lunch is at noon [4]."), uri: "notes [5].md", section: "Lunch [6]" };
  show(claim(hours));
  show({
    type: "retracted",
    text: "It opens at nine [7].",
    reason: { code: "own", words: "Another source [8] says otherwise." },
  });
  show(answered([hours, noted], { missing: "who has the key [9]" }));
  expect([...text().matchAll(/\[(\d+)\]/g)].map((match) => match[1])).toEqual(["1", "1", "2", "1", "2"]);
  expect(text()).toMatch(/notes \(3\) › Lunch \(6\)\n {4}notes \[ 5\]\.md .*\n {4}“Lunch is at noon \(4\)\.”/);
});

test("only real markers are coloured, wherever lines break", () => {
  const painted: string[] = [];
  const { screen } = paper(12);
  const paint: Screen["paint"] = (format, text) => {
    if (format === "cyan") painted.push(text);
    return text;
  };
  const show = transcript({ ...screen, paint }, "上海办公室几点开门？When does the office open?");
  show(claim(shanghai));
  show(claim(piece("odd", "The part [7] weighs 9 kg.")));
  show({ type: "retracted", text: "See [8].", reason: { code: "unchecked" } });
  expect(painted).toEqual(["[1]", "[2]"]);
});

function piece(id: string, text: string): Evidence {
  const rest = { source: "document", title: id, uri: `${id}.md`, section: "", score: 1, relevance: 1 } as const;
  return {
    id,
    text,
    ...rest,
    language: "en",
    strips: [],
    retrievedAt: "2026-03-01T10:00:00Z",
    reviewedAt: "2026-02-01",
  };
}

const checked = ({ id, text }: Evidence) => ({
  text,
  verdict: "supported" as const,
  reason: { code: "stated" } as const,
  quotes: [{ evidenceId: id, quote: text, start: 0, end: text.length }],
});

/** A claim event as the graph sends it, with its own numbering of sources. */
function claim(evidence: Evidence): AgentEvent {
  const { claims, references } = numberSources([checked(evidence)], [evidence]);
  if (!claims[0]) throw new Error("no claim");
  return { type: "claim", claim: claims[0], references };
}

function answered(evidence: Evidence[], { language = "en" as "en" | "zh", missing = "" } = {}) {
  const report = {
    hallucinationDetected: false,
    claims: evidence.map(checked),
    stages: [],
    contextSufficiency: "sufficient" as const,
    correctionSuggestion: "",
    missing,
  };
  const understood = { question: "", language, intent: "other" as const, passages: 8 };
  const spend = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, milliseconds: 0 };
  const verdict = { grade: "correct", relevance: 1, answerability: "full", missing: "" } as const;
  const attempt = { query: "", evidenceIds: [], repair: false, report, spend };
  const attempts = [{ ...attempt, verdict: { ...verdict, entities: [], clarification: "" } }];
  const empty = {
    question: "",
    askedIn: "",
    answering: "",
    said: "",
    clarification: "",
    queries: [],
    excluded: [],
    webQueries: [],
    webResults: [],
    lookUps: [],
    tables: [],
    findings: [],
    streamed: [],
    decisions: [],
  };
  const state = z.parse(State, { ...empty, messages: [], understood, evidence, attempts, spend });
  return { type: "answer" as const, answer: answerOf(state, "supported") };
}

const look = { width: Number.POSITIVE_INFINITY, paint: (_format: unknown, text: string) => text };

function shown(language: Language, quote: string, rows: GraphRow[]) {
  const provenance = { cypher: "", parameters: {}, rows };
  const place = { title: "staff", section: "", uri: "staff.csv", date: "2026-02-01" };
  const references: Reference[] = [{ number: 1, evidenceId: "a", source: "graph", ...place, provenance }];
  const claims: Claim[] = [
    { text: quote, support: "supported", citations: [{ reference: 1, quote, start: 0, end: quote.length }] },
  ];
  return sources({ references, claims, language }, look).split("\n").slice(3);
}

const row = (subject: string, quote: string) => ({ subject, predicate: "Team", object: "Sales", quote });

describe("the source of a fact of the graph is shown", () => {
  test("as the quotes that it rests on, each once", () => {
    const rows = [
      row("Ann", "| Ann | Sales |"),
      row("Ben", "| Ben, Cleo | Sales |"),
      row("Cleo", "| Ben, Cleo | Sales |"),
    ];
    expect(shown("en", "Sales is the team of Ann, Ben and Cleo (3 in all).", rows)).toEqual([
      "    “| Ann | Sales |”",
      "    “| Ben, Cleo | Sales |”",
    ]);
    const five = Array.from({ length: 5 }, (_, i) => row(`李${i}`, `| 李${i} | 销售组 |`));
    expect(shown("zh", "小组为销售组的：李0……", five)).toEqual([
      "    “| 李0 | 销售组 |”",
      "    “| 李1 | 销售组 |”",
      "    “| 李2 | 销售组 |”",
      "    ……另有2行",
    ]);
  });

  test("as its rows if one of them rests on no quote", () => {
    const rows = [row("Ann", "| Ann | Sales |"), row("Ben", "")];
    expect(shown("en", "Sales is the team of Ann and Ben (2 in all).", rows)).toEqual([
      "    “Sales is the team of Ann and Ben (2 in all).”",
      ...rows.map((one) => `    ${JSON.stringify(one)}`),
    ]);
  });
});

test("the source of a figure is shown with the first rows that it rests on, and its query", () => {
  const place = { title: "jobs", section: "", uri: "docs/jobs.csv", date: "2026-05-12" };
  const references: Reference[] = [{ number: 1, evidenceId: "a", source: "table", ...place, computed: OPEN_JOBS }];
  expect(sources({ references, claims: [], language: "en" }, look).split("\n").slice(2)).toEqual([
    "    docs/jobs.csv · reviewed 2026-05-12",
    "    4 of 12 rows of jobs",
    "    Job · State · Cost",
    "    3: Roof · Open · 1.204,50 EUR",
    "    8: Wall · Open · 95 EUR",
    "    9: Lift · Open · 310 EUR",
    "    … 1 more row",
    "    1 cell of Cost has no value that could be read and was left out",
    "    SELECT sum(Cost) AS cost FROM jobs WHERE State = 'Open'",
  ]);
});
