import type { Span } from "../types/evidence.js";
import { quantities } from "./numbers.js";
import { chineseWords } from "./tokens.js";

/**
 * Why words that stand in a sentence may not be what the sentence says, for all that goes before and behind them: they
 * are somebody's opinion, the complement of something else ("the wife of the king was crowned"), or end inside a word, a
 * name or an amount. Undefined where they may be cut out. `span` is into `sentence`.
 */
export function cutAmiss(sentence: string, { start, end }: Span): string | undefined {
  const [before, after] = [sentence.slice(0, start), sentence.slice(end)];
  if (REPORTED.test(before)) return "The sentence tells what somebody says or thinks.";
  if (COMPLEMENT.test(before.slice(-24)) || OPEN_END.test(after))
    return "The sentence says this of something else, or says more.";
  const broken = quantities(sentence).some(
    (amount) => amount.kind !== "date" && (cuts(amount, start) || cuts(amount, end)),
  );
  if (broken || inWord(sentence, start) || inWord(sentence, end)) return "The words end inside a word or an amount.";
  return undefined;
}

const cuts = (amount: Span, at: number) => amount.start < at && at < amount.end;

/** Opinions, hopes and reports: what follows is not said by the source itself. */
const REPORTED =
  /\b(?:believ(?:e[sd]?|ing)|th(?:ink(?:s|ing)?|ought)|assum(?:e[sd]?|ing)|suppos(?:e[sd]?|ing|edly)|suggest(?:s|ed|ing)?|argu(?:e[sd]?|ing)|hop(?:e[sd]?|ing)|wish(?:e[sd])?|expect(?:s|ed)?|predict(?:s|ed)?|propos(?:e[sd]?|ing)|hypothesi[sz]e[sd]?|imagin(?:e[sd]?|ing)|speculat(?:e[sd]?|ion)|doubt(?:s|ed)?|fear(?:s|ed)?|pretend(?:s|ed)?|dream(?:s|ed|t)?|rumou?r|myth|whether|perhaps|said|says|saying|stated|told|according to)\b|认为|以为|相信|猜测|推测|假设|假定|希望|期望|预计|预测|主张|提议|建议|表示|宣称|自称|担心|怀疑|误认|传说|据说|据传|是否/i;

/** What the words would have to be a part of. */
const COMPLEMENT =
  /(?:\b(?:of|for|with|by|from|than|to|like|against|between|as|in|on|at|over|under|near|without|except|including|former|acting|vice|deputy|so-called|alleged|fake|ex|non|anti|half)|['’]s|s['’])[\s-]+(?:["“(]\s*)?$|(?:[被把由对向给让使令和与跟比除副前原代非]|关于|对于|作为|例如)\s*$/iu;
const OPEN_END = /^(?:['’]s\b|-\p{L}|[的之们])/u;

/** Whether a Chinese word, as the dictionary cuts it, reaches over this place. */
function inWord(sentence: string, at: number): boolean {
  if (!/\p{Script=Han}/u.test(sentence.charAt(at - 1)) || !/\p{Script=Han}/u.test(sentence.charAt(at))) return false;
  const [left = "", right = ""] = [
    /\p{Script=Han}{1,12}$/u.exec(sentence.slice(Math.max(0, at - 12), at))?.[0],
    /^\p{Script=Han}{1,12}/u.exec(sentence.slice(at, at + 12))?.[0],
  ];
  let end = 0;
  for (const word of chineseWords(left + right)) {
    end += word.length;
    if (end >= left.length) return end !== left.length;
  }
  return false;
}
