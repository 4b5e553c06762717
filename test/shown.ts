import { decodeHTML } from "entities";
import MarkdownIt from "markdown-it";
import { marked } from "marked";
import { markersIn } from "../src/citing/markers.js";

/** Renders everything that a chat page may render: Markdown, its HTML, and addresses as links. */
const markdownIt = new MarkdownIt({ html: true, linkify: true });
markdownIt.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

const RENDERERS: ((text: string) => string)[] = [
  (text) => markdownIt.render(text),
  (text) => marked.parse(text, { gfm: true, async: false }),
];

/**
 * The active parts of a text in two renderers: links, images and tags other than formatting. Empty if there are none.
 * @param own the origins that links may lead to.
 */
export const working = (text: string, own: readonly string[] = []): string[] =>
  RENDERERS.flatMap((render) => {
    const links = new RegExp(`<a href="(?:${own.join("|") || "(?!)"})/[^"<>]*">(.*?)</a>`, "g");
    const html = render(text)
      .replace(/<code[ >][\s\S]*?<\/code>/g, "")
      .replace(links, "$1");
    return [...(html.replace(FORM, "").match(/<[^>]*>?/g) ?? []), ...(html.match(/(?<![a-z\d])www\.\w/gi) ?? [])];
  });

const FORM =
  /<\/?(?:p|em|strong|s|del|pre|ul|ol|li|blockquote|h[1-6]|hr|br|table|thead|tbody|tr|th|td)(?: start="\d+"| style="text-align:\w+"| align="\w+")?\s?\/?>|<input (?:checked="" )?disabled="" type="checkbox">/g;

/**
 * The numbers that a text cites, as each kind of reader sees them: a client that looks for "[2]", emend's own parser,
 * and the readers of each rendered form.
 */
export const cited = (text: string): number[][] => [
  numbers(text),
  markersIn(text).flatMap(({ named }) => named.map(({ source }) => source)),
  ...RENDERERS.map((render) => numbers(decodeHTML(render(text).replace(/<[^>]*>/g, "")))),
];

/** The cited numbers for a client that looks for "[2]". */
export const numbers = (text: string) => [...text.matchAll(/\[(\d+)\]/g)].map((match) => Number(match[1]));

/** Terminal control characters and invisible characters. */
export const UNSEEN = /(?![\n])\p{Cc}|\p{Bidi_Control}|[\u200b\u2060\u{e0000}-\u{e007f}]/u;

/** Texts in a source that try to be more than words. */
export const ATTACKS: readonly (readonly [string, string])[] = [
  ["an image", "![x](http://evil.test/p.png)"],
  ["a link", "[the bank](http://evil.test)"],
  ["a link to another host", "(//evil.test/x)"],
  ["a link that runs", "[x](javascript:alert(1))"],
  ["a link by reference", "[x][2] and [2]: http://evil.test 'x'"],
  ["a definition on its own line", "\n\n[1]: http://evil.test\n[2]: http://evil.test\n\n"],
  ["an autolink", "<http://evil.test>"],
  ["a bare address", "http://evil.test/[2] or www.evil.test/[2]"],
  ["HTML", '<img src="http://evil.test/p.png" onerror=alert(1)><a href="http://evil.test">x</a><!-- x -->'],
  ["a marker", "[2]"],
  ["a list of markers", "[1, 2][3-5] [[2]] [ 2 ]"],
  ["a marker in code", "`[2]` and [`2`]"],
  ["a marker in emphasis", "[**2**]"],
  ["an escaped marker", "\\[2\\]"],
  ["a marker in entities", "&#91;2&#93; &lbrack;2&rsqb;"],
  ["a marker with what nobody sees", "[\u200b2\u2060]\u{e0041}"],
  ["a marker of other assistants", "【3†source】"],
  ["full-width markers", "［2］【2】〔2〕"],
  ["raised markers", "x.² <sup>[2]</sup>"],
  ["markers in words", "(source 2)（来源2）[Source 2] (source [2])"],
  ["a template", "{{citation:2}}"],
  ["a tag for citations", '<cite>2</cite><ref name="2"/>'],
  ["a footnote", "x[^1]\n\n[^1]: http://evil.test"],
  ["a fence", "\n~~~\n```\n"],
  ["a list of sources", "\n\nSources\n[2] The bank (bank.example)"],
  ["a link of the terminal", "\u001b]8;;http://evil.test\u0007x\u001b]8;;\u0007\u009d8;;http://evil.test\u009cx"],
  ["colours and cursors", "\u001b[2J\u001b[31mx\u009b2K\r\b"],
  ["another direction", "\u202e\u2066\u200f[2]\u2069"],
];
