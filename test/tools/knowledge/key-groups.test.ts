import { expect, test } from "vitest";
import { keyGroups } from "../../../src/tools/knowledge/names.js";

test("keys that are connected through others form one group, in any order", () => {
  for (const lists of [
    [["c", "b"], ["x"], ["b", "a"]],
    [["b", "a"], ["x"], ["a", "b"], ["a", "c"]],
  ]) {
    const groups = keyGroups();
    for (const keys of lists) groups.join(keys);
    expect(groups.keysOf("c")).toEqual(["a", "b", "c"]);
    expect(["a", "b", "c", "x", "new"].map(groups.rootOf)).toEqual(["a", "a", "a", "x", "new"]);
    expect(groups.keys().sort()).toEqual(["a", "b", "c", "x"]);
  }
});
