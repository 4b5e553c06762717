import { expect, test } from "vitest";
import { folder, OFFICES } from "./emend.js";

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
