const list = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ""));

/** The English function words, a closed class. Negation is handled in `negation.ts`. */
export const ENGLISH_FUNCTION_WORDS = list(`
  a an the this that these those
  i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
  myself ourselves yourself yourselves himself herself itself themselves one's
  who whom whose what which when where why how whatever whichever whoever
  am is are was were be been being do does did doing done have has had having
  will would shall should can could may might must ought cannot
  isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't shouldn't can't couldn't mustn't
  i'm you're we're they're it's he's she's that's there's what's who's i've you've we've they've i'll you'll we'll they'll i'd
  and or but nor so yet if then than as because while although though whether unless until
  of in on at by for with from to into onto upon about against between among through during within without
  over under after before above below across along around near off out up down per via toward towards
  not no any some such very too also just only there here both either neither each every other another
  many much please tell s t
`);

/** Words that can be added or left out without a change of meaning. "was" is none: it changes the tense. */
export const SMALL_WORDS: ReadonlySet<string> = list(`
  a an the this that these those is are be been has have do does and of its their his her it also which who
  的 了 是 为 也 在 其 该 于
`);

/** The Chinese function words, as the runtime's dictionary segments them. */
export const CHINESE_FUNCTION_WORDS = list(`
  的 地 得 了 着 过 吗 呢 吧 啊 呀 么 嘛 哦 啦 之 其 所 以 而 且 与 和 及 或 或者 以及 并 并且 但 但是 因为 所以 因此 如果 则 虽然 就 才 也 都 还 又 再 很 更 最
  是 为 有 在 于 由 被 把 将 对 对于 从 到 向 往 给 让 使 令 用 以 按 按照 根据 关于 通过 随着 自 至 当 时 时候 中 里 内 上 下 前 后 间
  我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 自己 该 此 我的 你的 您的 他的 她的 它的 我们的 他们的 自己的 这 那 这个 那个 这些 那些 这里 那里 这样 那样 本 各 每 某 一些 一个 个 位 名 种 些
  什么 甚么 谁 哪 哪里 哪儿 哪个 哪些 哪位 哪种 哪一 哪年 何 何时 何地 何人 何处 为何 为什么 怎么 怎样 怎么样 如何 多少 几 多 多久 多长 多大 多远 多高 是否 是不是 有没有 能否 可否
  请 请问 问 告诉 能 会 可以 可 应该 应 要 想 需 不 没 没有 无 非 未 叫 叫做 称为 属于 进行 等 等等 说的 的是 是的 我能 我在 你能 那位 这位 哪儿 谁的 办 拿 做 弄 来 去
`);

/** Returns the words of a piece of Markdown on one line, without its marks. */
export function plainWords(text: string): string {
  const bare = text
    .replace(/!?\[([^\][\n]{1,300})\]\([^()\s]{0,500}(?:\s+"[^"\n]{0,200}")?\)/g, (_, words: string) => words)
    .replace(/^[ \t]*>+[ \t]?/gm, "")
    .replace(/\*{1,3}|`|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu, "");
  return onOneLine(bare);
}

/** Joins the lines of a text by spaces, but not between Chinese characters. */
export const onOneLine = (text: string): string =>
  text
    .replace(/(?<=\p{Script=Han})\s*\n\s*(?=\p{Script=Han})/gu, "")
    .replace(/\s+/g, " ")
    .trim();
