import { expect, test } from "vitest";
import { headLine } from "../../src/text/head-line.js";

test("title, section and headings are joined by a dash, each once", () => {
  expect(headLine({ title: "Handbook", section: "Handbook › Leave" }, ["Leave", "Parental leave"])).toBe(
    "Handbook - Leave - Parental leave",
  );
  expect(headLine({ title: "", section: "休假" })).toBe("休假");
  expect(headLine({ title: "", section: "" })).toBe("");
});
