import { describe, expect, test } from "vitest";
import { verify } from "../../src/checking/verify.js";
import { fakeChecker } from "../../src/testing/index.js";
import { fakeEncoder } from "../encoder.js";

const handbook = {
  id: "handbook",
  title: "Handbook",
  uri: "handbook.md",
  text: "# Office\n\nThe Lisbon office opens at eight. It has 120 desks.\n\nAnna Berg leads the office.",
};
const 手册 = { id: "手册", title: "手册", uri: "shouce.md", text: "上海办公室早上九点开门。办公室由李雷负责。" };
const sources = [handbook, 手册];

/** Exact code and word overlap alone, unless a test gives other tools. */
const wordsAlone = { tools: {} };

const verdicts = async (text: string, options = {}) =>
  (await verify(text, sources, { ...wordsAlone, ...options })).claims.map(({ text: said, verdict }) => [said, verdict]);

describe("a text is verified against sources", () => {
  test("sentence by sentence, in English and Chinese", async () => {
    const text =
      "The Lisbon office opens at eight. The Lisbon office opens at nine. 上海办公室早上九点开门。上海办公室早上八点开门。";
    expect(await verdicts(text)).toEqual([
      ["The Lisbon office opens at eight.", "supported"],
      ["The Lisbon office opens at nine.", "unsupported"],
      ["上海办公室早上九点开门。", "supported"],
      ["上海办公室早上八点开门。", "unsupported"],
    ]);
  });

  test("headings, questions and code are no claims, and list items are", async () => {
    const text =
      "# Opening hours\n\nWhen is it open?\n\n- The Lisbon office opens at eight.\n- It has 130 desks.\n\n```\nopens at ten\n```\n";
    expect(await verdicts(text)).toEqual([
      ["The Lisbon office opens at eight.", "supported"],
      ["It has 130 desks.", "unsupported"],
    ]);
  });

  test("claims have offsets into the text, and quotes have offsets into the source they name", async () => {
    const text = "As we said: **the Lisbon office opens at eight** [7]. And 上海办公室早上九点开门。";
    const { claims, references } = await verify(text, sources, wordsAlone);
    for (const { start, end, citations } of claims) {
      expect(text.slice(start, end).length).toBeGreaterThan(5);
      for (const { reference, quote, start: from, end: to } of citations) {
        const { id } = references.find(({ number }) => number === reference) ?? {};
        expect(sources.find((source) => source.id === id)?.text.slice(from, to)).toBe(quote);
      }
    }
    expect(references.map(({ number, id }) => [number, id])).toEqual([
      [1, "handbook"],
      [2, "手册"],
    ]);
  });

  test("the report says whether all claims are supported, and what is wrong with the others", async () => {
    const held = await verify("The Lisbon office opens at eight.", sources, wordsAlone);
    expect(held).toMatchObject({
      supported: true,
      report: { hallucinationDetected: false, contextSufficiency: "sufficient" },
    });
    const mixed = await verify("The Lisbon office opens at eight. It has 130 desks.", sources, wordsAlone);
    expect(mixed).toMatchObject({
      supported: false,
      report: { hallucinationDetected: true, contextSufficiency: "partial" },
    });
    expect(mixed.report.correctionSuggestion).toContain("130");
  });

  test("a claim that no source mentions is unsupported, and its reason says so", async () => {
    const { claims } = await verify("Penguins cannot fly in Antarctica.", sources, wordsAlone);
    expect(claims).toMatchObject([{ verdict: "unsupported", reason: { code: "no_source" }, citations: [] }]);
  });

  test.each(["", "# Only a heading", "?!"])("a text without claims is supported: %j", async (text) =>
    expect(await verify(text, sources, wordsAlone)).toMatchObject({ supported: true, claims: [] }),
  );

  test("without sources nothing is supported", async () =>
    expect(await verify("The office opens at eight.", [], wordsAlone)).toMatchObject({
      supported: false,
      references: [],
    }));
});

test("a checker is asked about a claim in doubt, and its failure is reported", async () => {
  const text = "Anna Berg is in charge of the office.";
  expect(await verdicts(text, { tools: { checker: fakeChecker("supported") } })).toEqual([[text, "supported"]]);
  expect(await verdicts(text, { tools: { checker: fakeChecker("contradicted") } })).toEqual([[text, "contradicted"]]);
  const failing = { check: () => Promise.reject(new Error("no model")) };
  const { claims, faults } = await verify(text, sources, { tools: { checker: failing } });
  expect(claims[0]?.verdict).toBe("unsupported");
  expect(faults).toEqual(["no model"]);
});

test("a checker sees only the text around the quotes of a long source", async () => {
  const long = Array.from({ length: 600 }, (_, i) => `Room ${i} is on floor ${i % 7}.`).join(" ");
  let seen = "";
  const checker = {
    check: async ({ evidence }: { evidence: readonly { text: string }[] }) => {
      seen = evidence.map(({ text }) => text).join("");
      return [{ verdict: "supported" as const, reason: { code: "stated" as const } }];
    },
  };
  const text = `${long} Anna Berg leads the office. ${long}`;
  await verify("Anna Berg is in charge of the office.", [{ text }], { tools: { checker } });
  expect(seen).toContain("Anna Berg leads the office.");
  expect(seen.length).toBeLessThan(text.length / 10);
});

const isWindow = (passage: string) => passage.split(" ").length > 50;

describe("verification with an encoder", () => {
  const room = (i: number) => `## Room ${i}\n\n${`Room ${i} has a lamp, a chair and a window to the yard. `.repeat(8)}`;
  const rooms = Array.from({ length: 30 }, (_, i) => room(i)).join("\n\n");
  const long = {
    id: "long",
    title: "House book",
    text: `${rooms}\n\n## Who leads\n\nDie Leitung hat Anna.\n\n${rooms}`,
  };
  /** An encoder that matches only the German sentence with the claim. */
  const bilingual = () => {
    const seen = { embedded: 0, judged: 0 };
    const means = (text: string) => /Leitung|charge/.test(text);
    const encoder = fakeEncoder({
      embed: (text) => {
        seen.embedded += 1;
        return means(text) ? [1, 0] : [0, 1];
      },
      judge: ({ passage }) => {
        seen.judged += 1;
        return { supported: means(passage) ? 0.97 : 0.02, wrong: [{ start: 4, end: 8 }] };
      },
    });
    return { encoder, seen };
  };

  test("a sentence that shares no word with a claim is found by meaning and becomes the quote", async () => {
    const { encoder } = bilingual();
    const { claims } = await verify("She is in charge.", [long], { tools: { encoder } });
    expect(claims).toMatchObject([
      { verdict: "supported", probability: 0.97, citations: [{ quote: "Die Leitung hat Anna." }], wrong: [] },
    ]);
  });

  test("a claim costs at most four judgements, and every window is embedded at most once", async () => {
    const { encoder, seen } = bilingual();
    const text = Array.from({ length: 10 }, (_, i) => `Somebody painted hall ${i}.`).join(" ");
    await verify(text, [long], { tools: { encoder } });
    expect(seen.judged).toBeLessThanOrEqual(40);
    expect(seen.embedded).toBeLessThan(400 + 20);
    const { encoder: other, seen: more } = bilingual();
    await verify(
      text,
      Array.from({ length: 20 }, (_, i) => ({ ...long, id: `${i}` })),
      { tools: { encoder: other } },
    );
    expect(more.judged).toBeLessThanOrEqual(40);
    // 400 windows, ten claims, and the sentences of the windows that share no word with their claim.
    expect(more.embedded).toBeLessThan(400 + 10 + 200);
  });

  test("a short claim is judged against its windows, and then against the sentence that states it most in each", async () => {
    const leads = "In May she took over the office.";
    const text = `# Staff\n\n${"The office has a garden with trees. ".repeat(20)}${leads} ${"The office has a lamp and a chair. ".repeat(60)}`;
    const encoder = fakeEncoder({
      judge: ({ passage, units = [] }) => ({
        supported: passage.includes(leads) ? 0.8 : 0.6,
        units: units.map(({ start, end }) => ({ answers: 0, states: passage.slice(start, end) === leads ? 0.9 : 0.1 })),
      }),
    });
    const { claims } = await verify("Anna leads the office.", [{ title: "Staff", text }], { tools: { encoder } });
    const read = encoder.asked.map(({ passage }) => passage);
    const [windows, sentences] = [read.filter(isWindow), read.filter((passage) => !isWindow(passage))];
    expect(windows.length).toBeLessThanOrEqual(4);
    expect(sentences.length).toBeLessThanOrEqual(windows.length);
    expect(sentences).toContainEqual(expect.stringContaining(leads));
    expect(claims).toMatchObject([{ verdict: "likely", citations: [{ quote: leads }] }]);
  });

  test("the sentence nearest in words is read in one window only", async () => {
    const near = "Anna Berg heads Procurement.";
    const encoder = fakeEncoder();
    const text = Array.from({ length: 60 }, (_, i) =>
      i === 31 ? near : `Room ${i} has a lamp and a chair by the window.`,
    );
    await verify("Anna Berg is the head of Procurement.", [{ text: text.join(" ") }], { tools: { encoder } });
    const read = encoder.asked.map(({ passage }) => passage);
    expect(read.length).toBeGreaterThan(1);
    expect(read.filter((passage) => passage.includes(near))).toHaveLength(1);
  });

  test.each([
    ["the sentence that shares most words with the claim", 0.5, "Anna Berg paid the rent of the Lisbon office."],
    ["another one that states it more than twice as much", 0.4, "She is also in charge there."],
  ])("the quote is %s", async (_, states, quote) => {
    const text = "Anna Berg paid the rent of the Lisbon office. She is also in charge there.";
    const encoder = fakeEncoder({
      judge: ({ passage, units = [] }) => ({
        supported: 0.95,
        units: units.map(({ start, end }) => ({
          answers: 0,
          states: passage.slice(start, end).startsWith("She") ? 0.9 : states,
        })),
      }),
    });
    const { claims } = await verify("Anna Berg leads the Lisbon office.", [{ text }], { tools: { encoder } });
    expect(claims).toMatchObject([{ verdict: "supported", citations: [{ quote }] }]);
  });

  test("words that no source has are marked at their offsets in the text", async () => {
    const { encoder } = bilingual();
    const text = "# Halls\n\n- The **red** hall [1] is shut.\n";
    const { claims } = await verify(text, [handbook], { tools: { encoder } });
    expect(claims[0]?.wrong).toEqual([{ start: text.indexOf("red"), end: text.indexOf("red") + 3, text: "red" }]);
  });

  test("consecutive short sources are read together", async () => {
    const seen: string[] = [];
    const encoder = fakeEncoder({
      judge: ({ passage }) => {
        seen.push(passage);
        return {};
      },
    });
    const turns = ["Anna: I lead Procurement now.", "Joost: Congratulations!"].map((text) => ({ text }));
    await verify("Anna is in charge of buying.", turns, { tools: { encoder } });
    expect(seen[0]).toContain("Procurement now.\nJoost");
  });
});

test("without an encoder, word overlap decides, and gives at most the verdict likely", async () => {
  expect(await verdicts("Anna Berg leads the office too.")).toEqual([["Anna Berg leads the office too.", "likely"]]);
  expect(await verdicts("Anna Berg paints portraits of sailors.")).toEqual([
    ["Anna Berg paints portraits of sailors.", "unsupported"],
  ]);
});

test.each([
  ["by words", {}],
  ["by the encoder", { encoder: fakeEncoder() }],
])(
  "others get a turn between the claims in every stage, and an abort in any of them ends the work: %s",
  async (_, tools) => {
    const rows = Array.from({ length: 100 }, (_, i) => `| Room ${i} | ${i * 7} chairs |`);
    const table = ["| Room | Chairs |", "|-|-|", ...rows].join("\n");
    const text = table.replaceAll("chairs", "tables");
    let rounds = 0;
    let stopAt = Number.POSITIVE_INFINITY;
    const stop = new AbortController();
    const count = () => {
      rounds += 1;
      if (rounds === stopAt) stop.abort(new Error(`the user left after ${rounds} rounds`));
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    try {
      await verify(text, [{ text: table }], { tools, signal: stop.signal });
      // Looking for quotes, their citations, their statements, and the last stage.
      expect(rounds).toBeGreaterThanOrEqual(4 * rows.length);
      [stopAt, rounds] = [3 * rows.length + 50, 0];
      await expect(verify(text, [{ text: table }], { tools, signal: stop.signal })).rejects.toThrow("the user left");
    } finally {
      clearImmediate(counting);
    }
  },
);

test("a sentence of more than 5,000 characters is not checked, and says why", async () => {
  const { claims } = await verify(
    `上海办公室${"早上九点开门".repeat(1_000)}。上海办公室早上九点开门。`,
    sources,
    wordsAlone,
  );
  expect(claims.map(({ verdict }) => verdict)).toEqual(["unsupported", "supported"]);
  expect(claims[0]?.reason).toEqual({ code: "too_long", limit: 5000 });
});

test("a sentence of fewer characters is not checked either if the encoder could not read all of it", async () => {
  const { claims } = await verify(`The key of the office is ${"x9Qm".repeat(500)}.`, sources, wordsAlone);
  expect(claims).toMatchObject([{ verdict: "unsupported", reason: { code: "too_long", limit: expect.any(Number) } }]);
});

test("an abort ends verification with the reason of the abort", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(verify("Anna Berg is in charge of the office.", sources, { signal })).rejects.toThrow("enough");
});

describe("a number that a source has without its unit", () => {
  const PLANS = "| Plan | Price (EUR) |\n|-|-|\n| Basic | 10 |\n| Pro | 20 |";
  test.each([
    [
      "the unit comes after other words",
      "Staff may be away on 25 days a year.",
      "Staff get 25 paid holiday days a year.",
      "likely",
    ],
    ["单位在括号之后", "要提前30日说明。", "通知期为三十（30）日。", "likely"],
    ["the unit stands in the heading", "The Pro plan is sold for 20 EUR.", PLANS, "likely"],
    ["单位在表头", "专业版卖20元。", "| 套餐 | 价格（元） |\n|-|-|\n| 基础版 | 10 |\n| 专业版 | 20 |", "likely"],
    ["it counts something else", "Guests may stay for 25 days.", "25 guests may stay for a week.", "unsupported"],
  ])("is judged as the claim's amount unless it counts something else: %s", async (_, claim, text, verdict) => {
    const tools = { encoder: fakeEncoder({ judge: () => ({ supported: 0.8 }) }) };
    const { claims } = await verify(claim, [{ text }], { tools });
    expect(claims.map((one) => one.verdict)).toEqual([verdict]);
  });
});

describe("markup and addresses of a text are checked as well", () => {
  test.each([
    ["a picture", 'The Lisbon office opens at eight <img alt="and burned down in the same year">.'],
    ["a picture alone", "The Lisbon office opens at eight.\n\n<img src=http://evil.example/x>"],
    ["a script", "The Lisbon office opens at eight.\n\n<script>alert(1)</script>"],
    ["a comment", "The Lisbon office opens at eight <!-- and is haunted -->."],
    ["a link by name", "The Lisbon office opens at [eight][e].\n\n[e]: http://evil.example"],
    ["a link by number", "The Lisbon office opens at [eight][1].\n\n[1]: http://evil.example"],
    ["a cell of a table", "| Office | Opens |\n|-|-|\n| Lisbon | eight <img src=x> |"],
    ["hidden words", "The Lisbon office opens at eight.\u{e006e}\u{e006f}\u{e0074}"],
    ["letters in another order", "The Lisbon office opens at \u202eeight\u202c."],
    ["an escape sequence with an address", "The Lisbon office opens at \u001b]8;;http://evil.example\u0007eight."],
  ])("%s", async (_, text) => {
    const encoder = fakeEncoder({ judge: () => ({ supported: 0.99, contradicted: 0, wrong: [] }) });
    for (const tools of [{}, { encoder }]) expect((await verify(text, sources, { tools })).supported).toBe(false);
  });

  test("a link that the source has holds, written in Markdown, in HTML, by name or alone", async () => {
    const text = "The Lisbon office opens at eight. Its page is [here](https://office.example/lisbon).";
    const said = [
      "Its page is [here](https://office.example/lisbon).",
      'Its page is <a href="https://office.example/lisbon">here</a>.',
      "Its page is [here][p].\n\n[p]: https://office.example/lisbon",
    ];
    for (const one of said)
      expect((await verify(one, [{ text }], wordsAlone)).claims).toMatchObject([
        { verdict: expect.stringMatching(/supported|likely/) },
      ]);
    for (const one of said) {
      const { claims } = await verify(
        one,
        [{ text: text.replace(/\[here\]\((.*?)\)/, '<a href="$1">here</a>') }],
        wordsAlone,
      );
      expect(claims).toMatchObject([{ verdict: expect.not.stringMatching(/unsupported/) }]);
    }
  });
});
