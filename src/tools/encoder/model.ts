import { join } from "node:path";
import { inForce } from "../../text/marks.js";
import { overlap } from "../../text/spans.js";
import type { Span } from "../../types/evidence.js";
import { logistic } from "./math.js";
import type { ModelFile } from "./model-file.js";
import { type Pieces, tokenizer, wordTable } from "./pieces.js";
import type { Judged, Pair } from "./port.js";
import { type Outputs, openRuntime, type RuntimeKind } from "./runtime.js";
import { combined, type Window, windowsOf } from "./windows.js";

export type Work = { texts: readonly string[]; as: "question" | "passage" } | { pairs: readonly Pair[] };
/** `since` is when the question began, in milliseconds since 1970; infinite for work that belongs to no question. */
export type EncoderJob =
  | (Work & { id: number; since: number; threads: number })
  | { drop: number }
  | { prepare: { embed: number; judge: number } };
/** `ms` is the time that the work took, without waiting. */
export type EncoderReply =
  | { id: number; result: unknown; ms: number }
  | { id: number; error: string }
  | { isReady: true };

export interface Model {
  embed(texts: readonly string[], as: "question" | "passage", threads: number, inTurn: RunBatch): Promise<number[][]>;
  judge(pairs: readonly Pair[], threads: number, inTurn: RunBatch): Promise<Judged[]>;
  /** Opens both networks in advance, for these numbers of threads. */
  prepare(threads: { embed: number; judge: number }): Promise<void>;
}

/** Runs a batch when its turn comes; an error that it throws ends the work. */
export type RunBatch = <T>(batch: () => Promise<T>) => Promise<T>;

/**
 * Opens a model folder: tokenizer.json, words.q4, embed.onnx and judge.onnx.
 * @param options.file the contents of its model.json.
 */
export async function openModel(
  folder: string,
  { file, kind }: { file: ModelFile; kind?: RuntimeKind },
): Promise<Model> {
  const { width } = file;
  const tokenise = tokenizer(join(folder, "tokenizer.json"));
  const writeRow = wordTable(join(folder, "words.q4"), width);
  const open = await openRuntime({ width, ...(kind && { kind }) });
  // Networks are opened on first use, since many callers need only one. A session has a fixed number of threads.
  const networks = new Map<string, ReturnType<typeof open>>();
  const network = (name: string, threads: number) => {
    const key = `${name} ${threads}`;
    const opened = networks.get(key) ?? open(join(folder, `${name}.onnx`), threads);
    networks.set(key, opened);
    return opened;
  };

  /** Runs the network over all inputs in batches. Calls `read` for each input with its row in the outputs. */
  async function each(
    name: string,
    inputs: readonly (readonly number[])[],
    threads: number,
    inTurn: RunBatch,
    read: (input: number, outputs: Outputs, row: number, tokens: number) => void,
  ): Promise<void> {
    const run = await network(name, threads);
    for (const some of batches(inputs)) {
      const tokens = Math.max(...some.map((i) => inputs[i]?.length ?? 0));
      // The network's input is large, so it is made only when the turn has come.
      const outputs = await inTurn(() => {
        const words = new Float32Array(some.length * tokens * width);
        const mask = new BigInt64Array(some.length * tokens);
        some.forEach((i, row) => {
          inputs[i]?.forEach((piece, at) => {
            writeRow(piece, words, (row * tokens + at) * width);
            mask[row * tokens + at] = 1n;
          });
        });
        return run(words, mask, [some.length, tokens]);
      });
      some.forEach((i, row) => {
        read(i, outputs, row, tokens);
      });
    }
  }

  return {
    async prepare({ embed, judge }) {
      // A question is embedded before anything is judged.
      await network("embed", embed);
      await network("judge", judge);
    },

    async embed(texts, as, threads, inTurn) {
      const prefix = as === "question" ? "query: " : "passage: ";
      const inputs = texts.map((text) => [BEGIN, ...tokenise(prefix + text).ids.slice(0, file.longest - 2), END]);
      const vectors: number[][] = texts.map(() => []);
      await each("embed", inputs, threads, inTurn, (i, { embedding = NONE }, row) => {
        vectors[i] = [...embedding.subarray(row * width, (row + 1) * width)];
      });
      return vectors;
    },

    async judge(pairs, threads, inTurn) {
      const stated = pairs.map((pair) => ({ ...pair, text: inForce(pair.text), passage: inForce(pair.passage) }));
      const windows = stated.flatMap((pair, i) => windowsOf(pair, i, tokenise, file));
      const found: (Judged & Pick<Window, "pair" | "part">)[] = [];
      const inputs = windows.map(({ text, passage }) => [BEGIN, ...text.ids, END, END, ...passage.ids, END]);
      await each("judge", inputs, threads, inTurn, (i, outputs, row, tokens) => {
        const one = windows[i];
        if (one) found.push({ pair: one.pair, part: one.part, ...readWindow(one, outputs, row, tokens, file) });
      });
      const byPair = Map.groupBy(found, ({ pair }) => pair);
      return pairs.map(({ text }, i) => {
        const judged = combined(byPair.get(i) ?? []);
        return { ...judged, wrong: wholeWords(text, judged.wrong) };
      });
    },
  };
}

const [BEGIN, END] = [0, 2];
const NONE = new Float32Array();

/** Groups inputs of similar length into batches of bounded size and little padding. */
function batches(inputs: readonly (readonly number[])[]): number[][] {
  const order = inputs.map((_, i) => i).sort((a, b) => (inputs[a]?.length ?? 0) - (inputs[b]?.length ?? 0));
  const all: number[][] = [];
  for (const i of order) {
    const last = all.at(-1);
    const tokens = inputs[i]?.length ?? 0;
    const padding = tokens - (inputs[last?.[0] ?? i]?.length ?? 0);
    if (last && (last.length + 1) * tokens <= BATCH_TOKENS && padding <= MAX_PADDING) last.push(i);
    else all.push([i]);
  }
  return all;
}
const BATCH_TOKENS = 2_048;
/**
 * In tokens. A run costs about as much as 20 tokens. On research/eval/company, limits of 8 to 32 cost within 8 % of the
 * least; no limit costs 30 % more.
 */
const MAX_PADDING = 16;

function readWindow(
  { text, passage, units }: Window,
  { labels = NONE, span = NONE, wrong = NONE, units: scores = NONE }: Outputs,
  row: number,
  tokens: number,
  { calibration, spanShare }: ModelFile,
): Judged {
  const label = (i: number) => labels[row * LABELS + i] ?? 0;
  const at = row * tokens;
  const first = text.ids.length + 3;
  const answer = bestSpan(passage, (i, side) => span[2 * (at + (i < 0 ? 0 : first + i)) + side] ?? 0);
  // Only "supported" is calibrated; the other two share the rest in the network's proportion.
  const others = Math.log(Math.exp(label(3)) + Math.exp(label(4)));
  const supported = calibrated(calibration.support, label(2) - others);
  const contradicted = (1 - supported) * logistic(label(3) - label(4));
  return {
    relevance: calibrated(calibration.relevance, label(0)),
    answerability: calibrated(calibration.answerability, label(1) + spanShare * answer.logOdds),
    supported,
    contradicted,
    neither: 1 - supported - contradicted,
    ...(answer.end > answer.start && {
      span: { start: answer.start, end: answer.end, probability: calibrated(calibration.span, answer.logOdds) },
    }),
    wrong: marked(text, (i) => calibrated(calibration.wrong, wrong[at + 1 + i] ?? 0) > 0.5),
    units: units.map((unit) => {
      const mean = (head: number) => meanOf(passage, unit, (i) => scores[2 * (at + first + i) + head] ?? 0);
      const [answers, states] = [mean(0), mean(1)];
      return {
        answers: answers === undefined ? 0 : calibrated(calibration.answers, answers),
        states: states === undefined ? 0 : calibrated(calibration.states, states),
      };
    }),
  };
}
const LABELS = 5;

/** Returns the mean of the scores of a unit's tokens; undefined if it has none here. */
function meanOf({ starts, ends }: Pieces, { start, end }: Span, score: (piece: number) => number): number | undefined {
  let [sum, tokens] = [0, 0];
  for (let i = firstAfter(starts, ends, start); i < starts.length && middle(starts, ends, i) < end; i++) {
    sum += score(i);
    tokens += 1;
  }
  return tokens > 0 ? sum / tokens : undefined;
}

const middle = (starts: readonly number[], ends: readonly number[], i: number) =>
  ((starts[i] ?? 0) + (ends[i] ?? 0)) / 2;

/** Finds by bisection the first token whose middle is not before an offset. */
function firstAfter(starts: readonly number[], ends: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const at = (low + high) >> 1;
    if (middle(starts, ends, at) < offset) low = at + 1;
    else high = at;
  }
  return low;
}

/**
 * Finds the best span of at most `MAX_SPAN` tokens, and its log odds against "no answer", the score of the first
 * token.
 */
function bestSpan(passage: Pieces, score: (piece: number, side: 0 | 1) => number): Span & { logOdds: number } {
  const none = score(-1, 0) + score(-1, 1);
  let best = { logOdds: passage.ids.length > 0 ? Number.NEGATIVE_INFINITY : 0, start: 0, end: 0 };
  for (let i = 0; i < passage.ids.length; i++)
    for (let j = i; j < Math.min(passage.ids.length, i + MAX_SPAN); j++) {
      const logOdds = score(i, 0) + score(j, 1) - none;
      if (logOdds > best.logOdds) best = { logOdds, start: passage.starts[i] ?? 0, end: passage.ends[j] ?? 0 };
    }
  return best;
}
const MAX_SPAN = 40;

/** Returns the spans of the marked tokens. Neighbours are joined. */
function marked({ starts, ends }: Pieces, isMarked: (piece: number) => boolean): Span[] {
  const found: Span[] = [];
  for (const [i, start] of starts.entries()) {
    if (!isMarked(i)) continue;
    const last = found.at(-1);
    const end = ends[i] ?? start;
    if (last && i > 0 && isMarked(i - 1)) last.end = end;
    else found.push({ start, end });
  }
  return found;
}

/** Extends spans to whole words, Chinese ones by the runtime's dictionary: a token is often a part of a word. */
function wholeWords(text: string, spans: readonly Span[]): Span[] {
  if (spans.length === 0) return [];
  const words = [...SEGMENTER.segment(text)].map(({ index, segment }) => ({
    start: index,
    end: index + segment.length,
  }));
  const whole: Span[] = [];
  for (const span of spans) {
    const own = words.filter((word) => overlap(word, span));
    const [start, end] = [own[0]?.start ?? span.start, own.at(-1)?.end ?? span.end];
    const last = whole.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else whole.push({ start, end });
  }
  return whole;
}
const SEGMENTER = new Intl.Segmenter("zh", { granularity: "word" });

const calibrated = ({ scale, shift }: { scale: number; shift: number }, x: number) => logistic(scale * x + shift);
