import { stripVTControlCharacters } from "node:util";

/**
 * A text that somebody else wrote, so that nothing in it works where Markdown or HTML is rendered: no image is fetched, no
 * link hides where it leads, no tag is one. Its words stay. Links and images lose the form of one ("[text] (address)"),
 * tags too ("< img"), addresses become code; code on one line stays as it is, and a lone backtick, which could reach
 * into what stands beside it, gets full width. Characters that nobody sees, or that turn others around, are dropped, and so
 * is what a terminal would obey.
 * Texts made inert one by one stay so in one line, or in lines of their own. Linear in the text's length.
 */
export function inert(text: string): string {
  return stripVTControlCharacters(text)
    .replace(UNSEEN, "")
    .split(CODE)
    .map((part, i) => (i % 2 === 1 ? part : plainly(part)))
    .join("")
    .replace(/``/g, "` `");
}

const UNSEEN = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Between single backticks, with nothing in between that could make them two lone ones: a line's end, a table's cell. */
const CODE = /(?<![\\`])(`[^`|\n\\]{1,500}`)(?!`)/;

const plainly = (text: string) =>
  text
    .replaceAll("`", "｀")
    .replace(/\](?=[([:])/g, "] ")
    .replace(/<(?=[a-z/!?])/gi, "< ")
    .replace(ADDRESS, (_, slash: string, address: string) => {
      let end = address.length;
      while (END.has(address.charAt(end - 1))) end -= 1;
      return `${slash}${slash && " "}\`${address.slice(0, end)}\`${address.slice(end)}`;
    });

/** Marks that end the sentence around an address, and not the address. */
const END: ReadonlySet<string> = new Set(".,:;!?'\"”’»」』)]");

/** What renderers make links of by themselves. */
const ADDRESS = /(\\?)((?:(?:https?|ftp):\/\/|mailto:|(?<![a-z\d])www\.)[^\s<>|`\\\p{Script=Han}。，；：！？、]+)/giu;
