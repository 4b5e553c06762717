import { describe, expect, test } from "vitest";
import { asksHowMany, saysHowMany } from "../../../src/tools/models/how-many.js";

describe("questions for an amount", () => {
  test.each(["How many seats are there?", "how much is it", "租金多少？", "年假有几天？", "能修幾年？"])(
    "%s asks for one",
    (question) => expect(asksHowMany(question)).toBe(true),
  );

  test.each(["How long is it?", "周几闭馆？", "几点上班？", "哪几个人参加？", "Who paid?"])("%s does not", (question) =>
    expect(asksHowMany(question)).toBe(false),
  );

  test.each(["There are forty seats.", "Entry is free.", "No seats are left.", "租金三千元。", "全部免費。"])(
    "%s gives one",
    (text) => expect(saysHowMany(text)).toBe(true),
  );

  test.each(["The number of seats is limited.", "座位有限。"])("%s gives none", (text) =>
    expect(saysHowMany(text)).toBe(false),
  );
});
