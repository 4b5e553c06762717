import { intentOf } from "../../../text/intent.js";
import type { Task } from "../port.js";
import { type Question, readQuestion } from "./question.js";
import { unframed } from "./unframed.js";

/**
 * The questions that an answer has to meet one by one: for a comparison, what it says of each side, since no sentence
 * need name both; for anything else, the question itself.
 */
export function aspects({ question: text, evidence }: Pick<Task, "question" | "evidence">): [Question, ...Question[]] {
  const question = unframed(text, evidence);
  const whole = readQuestion(question);
  const sides = intentOf(question) === "comparison" ? sidesOf(question) : undefined;
  if (!sides) return [whole];
  const [one, other] = sides.map((side) => readQuestion(side, question));
  return one && other && one.terms.length > 0 && other.terms.length > 0 ? [one, other] : [whole];
}

/** The question about one side only, for each of the two. */
function sidesOf(question: string): string[] | undefined {
  for (const pattern of PATTERNS) {
    const match = pattern.exec(question);
    const [whole, one, other] = match ?? [];
    if (!match || !whole || !one || !other) continue;
    const before = question.slice(0, match.index);
    const after = question.slice(match.index + whole.length);
    return [one, other].map((side) => `${before} ${side} ${after}`.replace(COMPARING, " "));
  }
  return undefined;
}

const PATTERNS = [
  /\bbetween (.{1,60}?) and (.{1,60}?)(?=[?.,]|$|\s(?:in terms|when|with respect|regarding|for)\b)/i,
  /\bcompare (.{1,60}?) (?:and|with|to) (.{1,60}?)(?=[?.,]|$)/i,
  /\bdo(?:es)? (.{1,60}?) differ from (.{1,60}?)(?=[?.,]|$)/i,
  /^(?:is|are|was|were|do|does) (.{1,60}?) (?:(?:more|less) \w+|\w+er|better|worse)(?: \w+)? than (.{1,60}?)(?=[?.,]|$)/i,
  /(?<=^|[,:]\s?|\b(?:is|are|of)\s)([^,:?]{1,40}?) (?:or|vs\.?|versus|compared (?:to|with)) ([^,?]{1,40})(?=[?.,]|$)/i,
  /(?<=^|[，,：:])(?:请问|比较一下|比较|对比)?([^，,]{1,14}?)(?:和|与|跟|vs\.?)([^，,]{1,14}?)(?:之间)?(?=的|有|在|相比|哪|谁|[？?]|$)/i,
  /(?<=^|[，,：:])([^，,]{1,14}?)(?:相比于?|比)([^，,]{1,14}?)(?=更|还|要|多|少|高|低|贵|便宜|好|快|慢)/,
  /(?<=^|[，,：:是])([^，,是]{1,14}?)还是([^，,]{1,14}?)(?=更|比较|[？?]|$)/,
];

/** Words that ask for the comparison and stand on neither side of it. */
const COMPARING =
  /\b(?:differences?|compar(?:e[ds]?|ing|ison)|differs?|distinctions?|better|worse|more|less|than|versus|vs\.?)\b|区别|差别|差异|不同之处|不同|对比|比较|相比|更/gi;
