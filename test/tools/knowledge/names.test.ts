import { describe, expect, test } from "vitest";
import { keyGroups, namesIn, normaliseName, possibleKeys } from "../../../src/tools/knowledge/names.js";

describe("a name's key", () => {
  test.each([
    ["The Matrix", "the MATRIX", "Matrix", "Matrix, The", "  the   matrix ", "Ｔｈｅ　Ｍａｔｒｉｘ", "“The Matrix”"],
    ["Café Zoë", "cafe zoe", "CAFÉ-ZOE"],
    ["J. R. R. Tolkien", "J.R.R. Tolkien", "JRR Tolkien"],
    ["U.S.A.", "USA"],
    ["Harbor's", "Harbor", "Harbor’s"],
    ["Johnson & Johnson", "Johnson and Johnson"],
    ["北京大学", "「北京大学」", "北京 大学", "《北京大学》"],
    ["阿里巴巴（中国）有限公司", "阿里巴巴(中国)有限公司", "阿里巴巴中国有限公司"],
    ["约翰·史密斯", "约翰•史密斯", "约翰史密斯"],
    ["Kubernetes 集群", "kubernetes集群", "ＫＵＢＥＲＮＥＴＥＳ集群"],
    ["T-800", "T800", "t 800"],
    ["1,000", "1000", "１０００"],
  ])("is the same for %s and its other spellings", (...spellings) => {
    expect(new Set(spellings.map(normaliseName)).size).toBe(1);
  });

  test.each([
    ["C", "C++", "C#"],
    ["5", "-5", "5%", "$5", "€5", "≥5", "≤5", "0.5", "50"],
    ["Anna", "Anne"],
    ["An Lee", "Lee", "A Lee"],
    ["北京", "北京大学", "北京路"],
    ["1999", "1998"],
    ["项目1", "项目2"],
    ["!!!", "???", "🙂"],
  ])("differs between %s, %s and similar names", (...names) => {
    expect(new Set(names.map(normaliseName)).size).toBe(names.length);
  });

  test("is empty only for a name of spaces", () => {
    expect(["A", "The", "the the", "!!!", "🙂", "'s", "。", "\u0000"].map(normaliseName)).not.toContain("");
    expect(["", " \n\u3000"].map(normaliseName)).toEqual(["", ""]);
  });

  test("is short for a long name, and differs for another long name", () => {
    const [a, b] = [normaliseName("x".repeat(20_000)), normaliseName(`${"x".repeat(20_000)}y`)];
    expect(a.length).toBeLessThanOrEqual(200);
    expect(a).not.toBe(b);
  });

  test("does not change when it is normalised again", () => {
    for (const name of ["The Who's Who", "C++ 标准", "≥ 5 %", "J. R. R. Tolkien", "张三’s 公司", "A & B"])
      expect(normaliseName(normaliseName(name))).toBe(normaliseName(name));
  });
});

describe("names in a text", () => {
  test.each([
    ["who directed the matrix", ["The Matrix"], ["The Matrix"]],
    ["Who directed THE MATRIX?", ["The Matrix", "Matrix Reloaded"], ["The Matrix"]],
    ["Is the matrix reloaded good?", ["The Matrix", "Matrix Reloaded"], ["Matrix Reloaded"]],
    ["What is Harbor's budget?", ["Harbor"], ["Harbor"]],
    ["The harbormaster left", ["Harbor"], []],
    [
      "Did Keanu Reeves and Carrie-Anne Moss meet?",
      ["Carrie Anne Moss", "Keanu Reeves"],
      ["Keanu Reeves", "Carrie Anne Moss"],
    ],
    ["does it run on c++?", ["C", "C++"], ["C++"]],
    ["What was released in 1999?", ["1999"], ["1999"]],
    ["Is 3 enough?", ["3"], []],
    ["谁导演了黑客帝国？", ["黑客帝国"], ["黑客帝国"]],
    ["《黑客帝国》是谁导演的", ["黑客帝国", "客帝"], ["黑客帝国"]],
    ["北京大学的校长是谁", ["北京", "北京大学"], ["北京大学"]],
    ["太平洋有多深", ["太平"], []],
    ["公司在北京东路", ["京东"], []],
    ["京东的总部在哪里", ["京东"], ["京东"]],
    ["李明天去上海吗", ["李明"], ["李明"]],
    ["谁和平安公司签约", ["平安公司"], ["平安公司"]],
    ["我问张三，李四在哪", ["三李四", "李四"], ["李四"]],
    ["我只喝茶，水在哪", ["茶水"], []],
    ["Where is Ann? Lee is here.", ["Ann Lee"], []],
    ["Is Washington, D.C. near?", ["Washington, D.C."], ["Washington, D.C."]],
    ["ｗｈｏ　ｉｓ　ｋｅａｎｕ　ｒｅｅｖｅｓ", ["Keanu Reeves"], ["Keanu Reeves"]],
    ["谁维护Kubernetes集群", ["Kubernetes 集群"], ["Kubernetes 集群"]],
  ])("in %j, given %j, are %j", (text, names, found) => {
    expect(namesIn(text, names)).toEqual(found);
  });

  test("that are common words count only if they are written as names", () => {
    expect(namesIn("who is it and what did you do with her", ["It", "Her", "The Who"])).toEqual([]);
    expect(namesIn("It is late. Who directed Her?", ["It", "Her"])).toEqual(["Her"]);
  });

  test("are all among the possible keys of the text", () => {
    const text = "Did Keanu Reeves, in The Matrix, meet 崔妮蒂·摩斯 of 北京大学 in 1999?";
    const keys = possibleKeys(text);
    for (const name of ["Keanu Reeves", "The Matrix", "崔妮蒂·摩斯", "北京大学", "1999"])
      expect(keys).toContain(normaliseName(name));
  });

  test("are looked for in a limited part of a very long text", () => {
    expect(possibleKeys("the old name 北京大学的 ".repeat(10_000)).length).toBeLessThanOrEqual(1_500);
    expect(possibleKeys(Array.from({ length: 5_000 }, (_, i) => `w${i}`).join(" ")).length).toBe(1_500);
    expect(namesIn("x".repeat(100_000), ["x"])).toEqual([]);
  });

  test.each(["", " ", "?!", "\u0000", "\ud800", "((((", "$&`'"])("are not found in %j", (text) => {
    expect(namesIn(text, ["", "The Matrix"])).toEqual([]);
  });
});

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
