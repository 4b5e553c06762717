import type { Span } from "../types/evidence.js";
import { memoize } from "./memoize.js";
import { outlineOf } from "./outline.js";
import { plain } from "./tokens.js";

/**
 * Finds the sentences of a source that give orders to the assistant: to ignore its task, to write its answer in some
 * way, or to be something else (indirect prompt injection, arXiv 2302.12173; BIPIA, arXiv 2312.14197). Questions, and
 * commands that might be meant for a person, are not found.
 */
export const orders: (text: string) => readonly Span[] = memoize(
  (text) => outlineOf(text).filter((unit) => isOrder(unit.text)),
  1_000_000,
);

/** Replaces each sentence that gives orders. */
export function withoutOrders(text: string, instead: string): string {
  return orders(text).reduceRight((rest, { start, end }) => rest.slice(0, start) + instead + rest.slice(end), text);
}

/**
 * Neutralises text that looks like our markup or a chat template's, by replacing the opening bracket with its full-width
 * form. All offsets stay the same, so that a quote can be mapped back to the source.
 */
export const neutral = (text: string) =>
  text.replace(MARK, (mark) => (mark.startsWith("<") ? "＜" : "［") + mark.slice(1));

const MARK =
  /<(?=\s*\/?\s*(?:source|question|task|system|user|assistant|think|start_of_turn|end_of_turn|s\s*>)|\|)|\[(?=\s*\d+\.\d+\s*\]|\s*\/?\s*INST\s*\])/gi;

/**
 * Makes the title and the headings of a source safe to repeat: one line of at most 200 characters each. A title that
 * gives orders is replaced by the name of the file or page, or is empty if that gives orders too. Headings that give
 * orders are left out.
 */
export function plainHeads<Source extends { title: string; section: string; uri: string }>(source: Source): Source {
  const { title, section, uri } = source;
  const name = uri.split(/[/\\#?]/).findLast((part) => part !== "") ?? "";
  const headings = section.split(" › ").map(onOneLine).filter(isHarmless);
  return {
    ...source,
    title: [onOneLine(title), onOneLine(name)].find(isHarmless) ?? "",
    section: headings.join(" › "),
  };
}

const isHarmless = (text: string) => orders(text).length === 0;

function onOneLine(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, " ").trim();
  return line.length <= LONGEST_HEAD ? line : `${line.slice(0, LONGEST_HEAD - 1).trimEnd()}…`;
}

const LONGEST_HEAD = 200;

function isOrder(sentence: string): boolean {
  // An invisible character hides a word from patterns, but not from a model.
  const words = plain(sentence.replace(/\p{Cf}/gu, "")).replace(/\s+/g, " ");
  return PATTERNS.some((pattern) => pattern.test(words));
}

/** People are told about their answers to a form and their reply to a letter, and a machine about its answer. */
const REPLY = "(?:answer|response|reply|output|completion|summary)";
const REPLIES = `(?:(?<=\\b(?:all|any|each|every)(?: of)? your (?:\\w+ )?)(?:answers|responses|replies|outputs)|${REPLY})`;
const TO_SOMEBODY =
  "(?! to (?:an?|the|this|these|our|their|your|us|me|him|her|them) (?!users?\\b|questions?\\b|prompts?\\b))";
const MACHINE = "(?:ai|a\\.i\\.|llms?|language models?|chat ?bots?|assistants?|gpt|chatgpt|claude|copilot|gemini)";
const VERB =
  "(?:add|append|answer|attach|augment|avoid|begin|break|change|combine|compose|convert|copy|create|describe|embed|emphasi[sz]e|encode|end|enhance|ensure|finish|format|generate|give|group|highlight|include|incorporate|insert|integrate|introduce|jumble|link|make|mention|misspell|modify|omit|output|prefix|present|print|produce|promote|provide|put|rearrange|recommend|refer|remove|render|repeat|replace|respond|return|rewrite|say|scramble|show|shuffle|speak|start|state|substitute|suggest|tease|tell|translate|use|weave|write)";
/** Any character of one sentence; a full stop in an address or at the end of a quotation does not end it. */
const WITHIN = `(?:[^.?!]|[.?!](?![ "”']|$)|[.?!]["”'])`;
const CHINESE_REPLY = "(?:回答|回复|答复|输出|回应|答案|总结|摘要)";
const CHINESE_MACHINE = "(?:ai|人工智能|大模型|大语言模型|语言模型|聊天机器人|智能助手|ai助手|机器人助手|gpt|chatgpt)";

const PATTERNS: readonly RegExp[] = [
  // Orders on how to write the answer.
  new RegExp(
    `(?:^|[:;,.!"“(*-] ?|\\b(?:please|must|should|always|now|then|and) )(?:(?:do not|don't|never|only) )?${VERB}\\b${WITHIN}{0,160}\\byour (?:\\w+ )?${REPLIES}\\b${TO_SOMEBODY}(?! (?:message|mail|email|letter|form|sheet|card)s?\\b)`,
  ),
  new RegExp(
    `\\b(?:in|throughout|at the (?:end|start|beginning|top|bottom) of|with) your (?:\\w+ )?${REPLY}\\b${TO_SOMEBODY},? ?(?:please )?(?:(?:do not|don't|never|only) )?${VERB}\\b`,
  ),
  // People are told to put things into their messages too, but not to garble them.
  new RegExp(`\\b(?:encode|jumble|misspell|rearrange|render|scramble|shuffle)\\b${WITHIN}{0,160}\\byour messages?\\b`),
  new RegExp(
    `(?:在|把|将|请?对)(?:你|您)的${CHINESE_REPLY}(?:中|里|内|末尾|结尾|开头|前|后|翻译|改|替换|写(?!在)|用|以)`,
  ),
  new RegExp(`(?:请|必须|务必|应当?)(?:用|以|让|使|确保|保证)[^。！？]{0,30}(?:你|您)的${CHINESE_REPLY}`),
  // Orders to ignore the task.
  /(?<!\b(?:can|could|may|might|will|would|not|never|don't|cannot|can't) (?:\w+ ){0,2})\b(?:ignore|disregard|forget|override|bypass|discard)\b[^.?!]{0,40}\b(?:previous|prior|above|earlier|preceding|foregoing|system|original|all|any|your)\b[^.?!]{0,30}\b(?<![/.])(?:instructions?|prompts?|rules?|guidelines?|directions?|commands?|context|tasks?)\b/,
  /(?<!(?:会|将|就|便|可以|自动|不要|不能|不得|不可|不应|勿|别)[^。！？，,]{0,4})(?:忽略|无视|忘记|忘掉|不要理会|抛开|跳过)[^。！？，,]{0,12}(?:以上|之前|前面|先前|此前|上述|所有|全部|原来|系统|你的)[^。！？，,]{0,10}(?:指令|指示|提示|要求|规则|命令|任务|设定)/,
  /\b(?:new|updated|real|actual) (?:system )?instructions?(?: for (?:you|the (?:ai|assistant|model)))?:|\bsystem (?:prompt|override|message):/,
  /\b(?:reveal|print|repeat|show|leak|output)\b[^.?!]{0,30}\b(?:(?:your|the) (?:(?:system|hidden|initial|secret) )?prompt|(?:your|the (?:system|hidden|initial|secret)) instructions)\b/,
  /(?:新的|真正的|最新)(?:系统)?指令[:：]|系统提示词?[:：]|(?:输出|透露|重复|打印)[^。！？]{0,10}(?:你的)?(?:系统)?提示词/,
  // Words that address the reader as a machine.
  new RegExp(
    `\\byou are (?:now )?(?:an? |the |my )?(?:\\w+ ){0,3}${MACHINE}\\b|\\byou are now (?:an?|the|in (?:\\w+ ){1,3}mode)\\b`,
  ),
  new RegExp(
    `\\bif you are (?:an? |the )?(?:\\w+ ){0,2}${MACHINE}\\b|\\b(?:note|message|attention|instructions?)(?: (?:to|for)|,|:) (?:all |any |the )?(?:\\w+ )?${MACHINE}\\b`,
  ),
  new RegExp(
    `\\bas an? (?:\\w+ )?${MACHINE},? (?:you|please)\\b|\\b${MACHINE} (?:reading|processing|summari[sz]ing) this\\b`,
  ),
  new RegExp(
    `(?:如果|假如|若)(?:你|您)是[^。！？]{0,6}${CHINESE_MACHINE}|(?:你|您)(?:现在|从现在起)?(?:是|扮演)(?:一个|一名|一位)?[^。！？]{0,8}${CHINESE_MACHINE}|${CHINESE_MACHINE}(?:请注意|注意|请(?!假|求|示|柬))`,
  ),
  /\bdo not (?:tell|inform|mention (?:this )?to) the (?:user|reader|human)s?\b|(?:不要|别|不得)(?:告诉|告知|提醒)(?:用户|使用者|读者|人类)/,
  // Marks of chat templates.
  /<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?inst\]|<<\/?sys>>|(?:^|\n)\s*#{2,} ?(?:system|instruction|assistant)s?\s*:?\s*$/,
];
