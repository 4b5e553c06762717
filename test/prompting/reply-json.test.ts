import { expect, test } from "vitest";
import { completeItems, firstObject } from "../../src/prompting/reply-json.js";

test.each(["[", '{"a":', '[{"claims":'])(
  "a reply that is nested endlessly by %s is refused before it is parsed",
  (opening) => {
    const reply = `{"claims": [${opening.repeat(1000)}`;
    expect(() => firstObject(reply)).toThrow("nested too deep");
    expect(completeItems(reply, "claims")).toEqual([]);
  },
);

test("brackets inside a string do not count as nesting", () => {
  const text = `${"[".repeat(200)}"{"\\${"{".repeat(200)}`;
  const reply = JSON.stringify({ text, claims: [text] });
  expect(firstObject(reply)).toEqual({ text, claims: [text] });
  expect(completeItems(reply, "claims")).toEqual([text]);
});
