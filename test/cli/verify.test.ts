import { describe, expect, test } from "vitest";
import { fakeServer, saysJson } from "../tools/chat/fake-server.js";
import { folder, OFFICES } from "./emend.js";

const FILES = {
  "docs/leave.md": "# Leave\n\nA full-time employee has 27 days of leave a year. Anna Berg decides about leave.\n",
  "docs/休假.md": "# 休假\n\n病假须在当天九点前报告。\n",
  "good.md": "A full-time employee has 27 days of leave a year. 病假须在当天九点前报告。\n",
  "bad.md": "# Leave\n\nA full-time employee has 30 days of leave a year.\n\n病假须在当天九点前报告。\n",
  "doubt.md": "It is up to Anna Berg who may take leave.\n",
};
const NO_COLOUR = { NO_COLOR: "1", EMEND_ENCODER: "off" };

describe("emend verify checks a text against its sources", () => {
  test("and shows the quote of a supported statement", async () => {
    await using here = await folder(FILES);
    const { code, stdout } = await here.run(["verify", "good.md", "--sources", "docs"], NO_COLOUR);
    expect(code).toBe(0);
    expect(stdout).toContain("✓ A full-time employee has 27 days of leave a year.\n");
    expect(stdout).toContain("“病假须在当天九点前报告。” docs/休假.md\n");
    expect(stdout).toContain("2 supported, 0 likely, 0 unsupported, 0 contradicted.\n");
  });

  test("and shows the reason and the nearest quote of an unsupported statement", async () => {
    await using here = await folder(FILES);
    const { code, stdout } = await here.run(["verify", "bad.md", "--sources", "docs"], NO_COLOUR);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /\? A full-time employee has 30 days[^\n]*\n {2}[^\n]*30[^\n]*\n {2}Not in the sources[^\n]*\n {4}“A full-time employee has 27 days/,
    );
    expect(stdout).toContain("\n  Not in the sources: “30 days”\n");
    expect(stdout).toContain("1 supported, 0 likely, 1 unsupported, 0 contradicted.\n");
    const coloured = await here.run(["verify", "bad.md", "--sources", "docs"], {
      EMEND_ENCODER: "off",
      FORCE_COLOR: "1",
    });
    expect(coloured.stdout).toContain("\u001b[4m30\u001b[24m");
  });

  test("and gives the reasons for a Chinese text in Chinese", async () => {
    await using here = await folder({ ...FILES, "错.md": "病假须在当天八点前报告。\n" });
    const { stdout } = await here.run(["verify", "错.md", "--sources", "docs"], NO_COLOUR);
    expect(stdout).toContain("病假须在当天八点前报告。\n  来源的相关内容没有提到“八点”。\n");
    const { stdout: json } = await here.run(["verify", "错.md", "--sources", "docs", "--json"], NO_COLOUR);
    expect(JSON.parse(json)).toMatchObject({
      claims: [{ reason: { code: "not_mentioned" }, reasonInWords: "来源的相关内容没有提到“八点”。" }],
      report: { correctionSuggestion: expect.stringContaining("来源的相关内容没有提到“八点”。") },
    });
  });

  test("and does not call words missing that the quotes say about something else", async () => {
    await using here = await folder({
      "docs/hall.md": "# Hall\n\nThe hall seats 140 people, and the foyer holds 60. It opens at nine.\n",
      "docs/礼堂.md": "# 礼堂\n\n礼堂可容纳140人，门厅可容纳60人。礼堂九点开门。\n",
      "text.md":
        "The hall has 140 doors.\n\n门厅可容纳140人。\n\nThe hall seats 1,140 people.\n\nThe hall seats 14 people.\n",
    });
    const { code, stdout } = await here.run(["verify", "text.md", "--sources", "docs"], { EMEND_ENCODER: "" });
    expect(code).toBe(3);
    expect(stdout).toContain("? The hall has 140 doors.");
    expect(stdout).toContain("✗ 门厅可容纳140人。");
    const missing = stdout.match(/(?<=Not in the sources: ).*/g);
    expect(missing).toEqual(expect.arrayContaining(["“1,140”", "“14”"]));
    expect(missing).not.toContain("“140”");
  });

  test("and marks a statement that only its words support as likely, without an error", async () => {
    await using here = await folder({
      ...FILES,
      "likely.md": "A full-time employee is granted 27 days of leave a year.\n",
    });
    const { code, stdout } = await here.run(["verify", "likely.md", "--sources", "docs"], NO_COLOUR);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^~ A full-time employee is granted 27 days/);
    expect(stdout).toContain("0 supported, 1 likely, 0 unsupported, 0 contradicted.\n~ Likely: ");
    const { stdout: json } = await here.run(["verify", "likely.md", "--sources", "docs", "--json"], NO_COLOUR);
    expect(JSON.parse(json)).toMatchObject({
      supported: false,
      claims: [{ verdict: "likely", settledBy: "entailment" }],
      report: { hallucinationDetected: false },
    });
  });

  test("and prints JSON for programs", async () => {
    await using here = await folder(FILES);
    const { code, stdout } = await here.run(
      ["verify", "bad.md", "--sources", "docs/leave.md", "docs/休假.md", "--json"],
      NO_COLOUR,
    );
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      supported: false,
      claims: [
        { verdict: "unsupported", wrong: [{ start: 34, end: 41, text: "30 days" }] },
        { verdict: "supported", settledBy: "statements" },
      ],
      references: [
        { number: 1, id: "docs/leave.md", title: "Leave" },
        { number: 2, id: "docs/休假.md", title: "休假" },
      ],
    });
  });

  test("and asks the configured model about statements in doubt", async () => {
    await using server = await fakeServer(saysJson({ 1: { reason: "it says so", verdict: "supported" } }));
    await using here = await folder(FILES);
    const model = { EMEND_MODEL: "fake", OPENAI_BASE_URL: server.baseURL, EMEND_ENCODER: "off" };
    const { stdout } = await here.run(["verify", "doubt.md", "--sources", "docs", "--json"], model);
    expect(JSON.parse(stdout)).toMatchObject({
      supported: true,
      claims: [{ settledBy: "checker" }],
      spend: { calls: 1 },
    });
  });
});

test.each([
  [["verify", "missing.md", "--sources", "docs"], /missing\.md cannot be read: there is no such file\. Check/],
  [["verify", "good.md", "--sources", "nowhere"], /There is no file or folder nowhere/],
  [["verify", "good.md", "--sources", "empty"], /No source could be read under empty/],
  [["verify", "good.md"], /--sources/],
])("a text that cannot be checked is reported in one line: %j", async (words, said) => {
  await using here = await folder({ ...FILES, "empty/sound.wav": "" });
  const { code, stdout, stderr } = await here.run(words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(said);
  expect(stderr.trimEnd()).not.toContain("\n");
});

const DRAFT = "# 摘要\r\n\r\nThe **Lisbon office** opens at eight. Whales sing.\r\n上海办公室早上九点开门。\r\n";

test("emend cite prints the text with markers and sources, and lists the statements without a source on stderr", async () => {
  await using place = await folder({ ...OFFICES, "draft.md": DRAFT });
  const { code, stdout, stderr } = await place.run(["cite", "draft.md", "--sources", "docs"]);
  expect(code).toBe(0);
  expect(stdout).toContain("The **Lisbon office** opens at eight [1]. Whales sing.");
  expect(stdout).toContain("上海办公室早上九点开门[2]。");
  expect(stdout).toContain("[1] Offices (docs/offices.md)\n    “The Lisbon office opens at eight in the morning.”");
  expect(stderr).toContain("No source found for 1 of 3 statements");
  expect(stderr).toContain("line 3: Whales sing.");
});

test("emend cite --json prints only the JSON result", async () => {
  await using place = await folder({ ...OFFICES, "draft.md": DRAFT });
  const { stdout } = await place.run(["cite", "draft.md", "--json", "--sources", "docs/offices.md"]);
  const { text, markers, bare, references } = JSON.parse(stdout);
  expect(bare).toBe(DRAFT);
  expect(text.slice(markers[0].start, markers[0].end)).toBe(" [1]");
  expect(references).toEqual([{ number: 1, id: "docs/offices.md", title: "Offices", uri: "docs/offices.md" }]);
});

test("emend cite exits with 3 if nothing has a source, and with 2 if its arguments are wrong", async () => {
  await using place = await folder({ ...OFFICES, "draft.md": "Whales sing.\n", "empty/x.bin": "x" });
  const nothing = await place.run(["cite", "draft.md", "--sources", "docs"]);
  expect(nothing).toMatchObject({ code: 3, stdout: "Whales sing.\n" });
  for (const words of [
    ["cite", "draft.md"],
    ["cite", "absent.md", "--sources", "docs"],
    ["cite", "draft.md", "--sources", "absent"],
    ["cite", "draft.md", "--sources", "empty"],
  ]) {
    const { code, stdout, stderr } = await place.run(words);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^emend: [^\n]+\n$/);
  }
});
