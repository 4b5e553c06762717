import { withCharacters } from "./entities.js";
import { inForce, withMarksRead } from "./marks.js";

const SHOWN = "[^\\][\\n]{1,300}";
const TARGET = '\\([^()\\s]{0,500}(?:\\s+"[^"\\n]{0,200}")?\\)';

/** A link or an image, with its text in a group. */
const LINK = new RegExp(`!?\\[(${SHOWN})\\]${TARGET}`, "g");

/** The marks before and after the text of a link or an image. */
export const LINK_MARKS: RegExp = new RegExp(`!?\\[(?=${SHOWN}\\]\\()|(?<=\\[${SHOWN})\\]${TARGET}`, "u");

/** Tags without attributes that only format or arrange words. */
export const PLAIN_TAG =
  /<\/?(?:a|abbr|article|b|blockquote|br|cite|code|dd|del|div|dl|dt|em|figcaption|figure|h[1-6]|hr|i|ins|kbd|li|mark|ol|p|pre|q|s|section|small|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul)\s*\/?>/gi;

/** A line that gives the target of links by a name: `[guide]: https://example.org "Guide"`. */
export const LINK_DEFINITION: RegExp =
  /^ {0,3}\[(?<name>[^\]^\n]{1,200})\]:[ \t]*(?<target><[^<>\n]*>|[^\s[]\S*)[ \t]*(?<title>["'(].*)?$/gim;

/** Replaces links by their words. */
export const linksAsWords = (text: string): string => text.replace(LINK, (_, words: string) => words);

/** Removes links and addresses. */
export const withoutLinks = (text: string): string => text.replace(LINK, " ").replace(/https?:\/\/[^\s<>|]+/gu, " ");

/**
 * Returns the words of a piece of Markdown on one line, without its marks. Characters in code are not marks:
 * `__name__`.
 */
export const plainWords = (text: string): string => wordsAndLinks(linksAsWords(text));

/** The same, but links and pictures stay as they are written. */
export const wordsAndLinks = (text: string): string => withoutMarks(text, (code) => code.replaceAll("`", ""));

/**
 * The same as a quote is shown: inline code keeps its backticks, and two pieces of code side by side get a space. Nothing
 * is left of templates, of dialects of Markdown and of HTML.
 */
export const wordsAndCode = (text: string): string =>
  withoutMarks(linksAsWords(text), (code) => code, shownPlainly)
    .replaceAll("``", "` `")
    .replace(/^(?:[→➜➔▶►]\s*)+/u, "");

function withoutMarks(
  text: string,
  write: (code: string) => string,
  read: (part: string) => string = unmarked,
): string {
  const bare = withMarksRead(text)
    .replace(/^[ \t]*>+[ \t]?/gm, "")
    .split(INLINE_CODE)
    .map((part, i) => (i % 2 === 1 ? write(part) : read(part)))
    .join("");
  return onOneLine(bare);
}

const unmarked = (part: string): string =>
  part.replace(
    /(?<!\\)(?:(?<!\p{N})\*{1,3}|\*{1,3}(?!\p{N})|`|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}]))/gu,
    "",
  );

/** Removes what is left of templates and dialects too: `{{ name }}`, `{: .class}`, `:::tip[Title]`, `[^1]`, `:tada:`, ==marks==. */
const shownPlainly = (part: string): string =>
  withCharacters(
    unmarked(part.replace(LEFTOVERS, (_, title = "") => title).replace(TAG, (tag) => (/^<br/i.test(tag) ? " " : ""))),
  ).replace(/\\(?=[_*[\]#~+!-])/g, "");

const LEFTOVERS =
  /\{\{[^{}\n]{0,300}\}\}|\{%[^%\n]{0,300}%\}|\{[:#.][^{}\n]{0,200}\}|^[ \t]*:{3,}[ \t]*\w*(?:\[([^\]\n]{0,200})\])?|\[\^[^\]\s]{1,60}\]:?|(?<![\p{L}\p{N}:]):[a-z][a-z0-9_+-]{1,40}:(?![\p{L}\p{N}:])|(?<!=)={2}(?=[^\s=])|(?<=[^\s=])={2}(?!=)/gmu;
const TAG = new RegExp(PLAIN_TAG.source.replace("\\s*\\/?>", "(?:\\s[^<>]{0,300})?\\/?>"), "gi");

const INLINE_CODE = /(`[^`\n]{1,500}`)/;

/** Joins the lines of a text by spaces, but not between Chinese characters. */
export const onOneLine = (text: string): string =>
  text
    .replace(/(?<=\p{Script=Han})\s*\n\s*(?=\p{Script=Han})/gu, "")
    .replace(/\s+/g, " ")
    .trim();

/** Removes inline Markdown and HTML: emphasis, code, links, and what is struck out. Unpaired marks stay, as in "> 5" and "2*3". */
export const withoutMarkup = (text: string): string =>
  linksAsWords(
    inForce(text).replace(/<\/?(?:a|abbr|b|br|code|em|i|kbd|small|span|strong|sub|sup|u)(?:\s[^<>]{0,300})?\/?>/gi, ""),
  )
    .replace(/(\*{1,3}|_{2,3}|`+)(?=\S)([^*`\n]{1,300}?)(?<=\S)\1/g, "$2")
    .replace(/\s+/g, " ")
    .trim();

/** Returns the words of a heading without its marks, at most 200 characters. */
export const headingText = (heading: string): string =>
  withoutMarkup(
    heading
      .slice(0, 400)
      .replace(/^\s*#{1,6}(?=\s)|\s+#+\s*$|\r?\n\s*(?:=+|-+)\s*$/g, "")
      .replace(/\s*\{#[^}]*\}\s*$/, "")
      .replace(/\\(?=[!-/:-@[-`{-~])/g, ""),
  ).slice(0, 200);
