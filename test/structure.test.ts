import { join } from "node:path";
import { expect, test } from "vitest";
import { structure } from "../scripts/structure.js";

test("no two folders of the sources import each other, at once or by way of others", () => {
  expect(structure(join(import.meta.dirname, "../src")).cycles).toEqual([]);
});
