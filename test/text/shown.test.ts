import { expect, test } from "vitest";
import { settle } from "../../src/facts/support.js";
import { wordsAndCode } from "../../src/text/markup.js";

test.each([
  ["The ==beer== fund is $5 :tada: a month.[^1]", "The beer fund is $5 a month."],
  ["→ 点击 ==保存== 按钮{: .btn}", "点击 保存 按钮"],
  ["Duration \\- how \\_long\\_ it takes", "Duration - how _long_ it takes"],
  ['A &amp; B<br>are <a href="x">here</a>.', "A & B are here."],
  ["Meet at 10:30:45 if `==x==` is 2*3 {{ site.x }}", "Meet at 10:30:45 if `==x==` is 2*3"],
  [":::tip[Note]\nSave a copy first.", "Note Save a copy first."],
  ["Post in <your channel> as snake_case.", "Post in <your channel> as snake_case."],
])("a quote is shown without what is left of markup, and is still found to be one: %s", (quote, shown) => {
  expect(wordsAndCode(quote)).toBe(shown);
  expect(settle(shown, [quote]).verdict).toBe("supported");
});
