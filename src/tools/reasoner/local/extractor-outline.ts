import { sentences } from "../../../text/sentences.js";
import type { Passage } from "../../../types/evidence.js";

/** A sentence, row or item of a passage, with what it stands under. */
export interface Stated {
  text: string;
  kind: "prose" | "item" | "row" | "heading" | "code";
  /** Where it stands in the passage. */
  start: number;
  end: number;
  /** The headings above it, innermost first; empty above the first one. */
  headings: readonly string[];
}

/**
 * What a passage states as true now, in order. Left out is what stands under a heading that says it is past, planned or
 * an example: "Former leads", 拟定方案.
 */
export function stated(passage: Passage): Stated[] {
  const above = passage.section === "" ? [] : passage.section.split(" › ").reverse();
  let open: { depth: number; name: string }[] | undefined;
  return sentences(passage.text)
    .map(({ start, end, kind }) => {
      const text = passage.text.slice(start, end);
      if (kind === "heading") {
        const depth = /(#+)[ \t]*$/.exec(passage.text.slice(Math.max(0, start - 8), start))?.[1]?.length ?? 1;
        open = [...(open ?? []).filter((heading) => heading.depth < depth), { depth, name: text.trim() }];
      }
      const headings = open ? open.map(({ name }) => name).reverse() : above;
      return { text, kind, start, end, headings };
    })
    .filter(({ headings }) => ![...headings, passage.title].some((heading) => OTHER_TIMES.test(heading)));
}

const OTHER_TIMES =
  /\b(?:histor\w*|former\w*|previous\w*|past|archived?|obsolete|deprecated|superseded|draft\w*|propos\w*|planned|plans? for|future|roadmap|examples?|hypothetical|sample)\b|历史|沿革|旧版|往届|前任|历任|草案|拟|计划|规划|展望|未来|废止|示例|举例|样例|假设/i;
