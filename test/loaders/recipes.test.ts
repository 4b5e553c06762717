import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as loaders from "../../src/loaders/index.js";

/** The recipes of docs/connectors.md, as `emend.json` has them. */
const recipes = [...readFileSync("docs/connectors.md", "utf8").matchAll(/^```json\n([\s\S]*?)^```/gm)].map(
  ([, text = ""]) => text,
);
const named = (text: string) => (JSON.parse(text).sources as { loader: string; options: never }[])[0];

test.each(recipes)("a recipe is at most ten lines, and opens: %s", (text) => {
  const { loader = "", options } = named(text) ?? {};
  const [, name = ""] = /^emend\/loaders#(\w+)$/.exec(loader) ?? [];
  const open = Reflect.get(loaders, name) as (options: unknown) => loaders.Connector;
  expect(text.trim().split("\n").length).toBeLessThanOrEqual(10);
  expect(Object.keys(open(options))).toEqual(expect.arrayContaining(["list", "read"]));
});

test("every connector has a recipe", () => {
  const used = recipes.map((text) => named(text)?.loader.split("#")[1]);
  expect([...new Set(used)].sort()).toEqual(Object.keys(loaders).sort());
});
