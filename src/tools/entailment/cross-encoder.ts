import { basename, dirname, isAbsolute } from "node:path";
import { z } from "zod";
import { UsageError } from "../../errors.js";
import { hasWords } from "../../text/tokens.js";
import type { Entailment, Thresholds } from "./port.js";
import { windows } from "./windows.js";

export interface CrossEncoderOptions {
  /**
   * An ONNX model that classifies a premise and a hypothesis: a folder (absolute) or a name that Transformers.js knows.
   */
  model: string;
  /** The label that says "entailed" (default: the one whose name does; of a model with one label, that one). */
  label?: string;
  /** The weights' format, as Transformers.js names it: "q8" (default), "fp32", "fp16". */
  dtype?: string;
  /** How many words of a source are read at once, two Chinese characters being one (default 220). Neighbours share a third. */
  windowWords?: number;
  /** How many windows are scored in one step (default 8). */
  batch?: number;
  /** Default: accept at 0.9, reject below 0.1, decide at 0.5. Measure them for the model in use. */
  thresholds?: Thresholds;
  /** What gives Transformers.js (default: the package, if it is installed). */
  load?: () => Promise<unknown>;
}

/**
 * Entailment by a cross-encoder for natural-language inference, run here by Transformers.js, an optional dependency. The
 * model is loaded at the first score. A long source is read in windows, and the best window counts, so that what only two
 * distant places state together scores low.
 * @throws UsageError where Transformers.js is not installed, or the model cannot be loaded or has no label for "entailed".
 */
export function crossEncoderEntailment(options: CrossEncoderOptions): Entailment {
  const { model, windowWords = 220, batch = 8 } = options;
  let scorer: Promise<Scorer> | undefined;
  const open = () => {
    scorer ??= openScorer(options).catch((error: unknown) => {
      scorer = undefined;
      throw error;
    });
    return scorer;
  };
  return {
    identity: `cross-encoder:${model}`,
    thresholds: options.thresholds ?? { acceptAt: 0.9, rejectBelow: 0.1, decideAt: 0.5 },
    async score(pairs, { signal } = {}) {
      signal?.throwIfAborted();
      const best = pairs.map(() => 0);
      const work = pairs.flatMap(({ claim, sources }, pair) =>
        hasWords(claim)
          ? sources.flatMap((source) => windows(source, windowWords)).map((premise) => ({ pair, premise, claim }))
          : [],
      );
      if (work.length === 0) return best;
      const entailed = await open();
      for (let start = 0; start < work.length; start += batch) {
        signal?.throwIfAborted();
        const some = work.slice(start, start + batch);
        const scores = await entailed(some);
        for (const [i, { pair }] of some.entries()) best[pair] = Math.max(best[pair] ?? 0, scores[i] ?? 0);
      }
      return best;
    },
  };
}

type Scorer = (some: readonly { premise: string; claim: string }[]) => Promise<number[]>;

async function openScorer({ model, label, dtype = "q8", load = installed }: CrossEncoderOptions): Promise<Scorer> {
  const library = Library.safeParse(await opened(load));
  if (!library.success)
    throw new UsageError("@huggingface/transformers is of a version that cannot be used here. Install version 4.");
  const { AutoTokenizer, AutoModelForSequenceClassification, env } = library.data;
  // Not every version takes a folder for a name: older ones look for it below a path of their own, then on the network.
  const isFolder = isAbsolute(model);
  const options = isFolder ? { local_files_only: true } : {};
  if (isFolder && env) env.localModelPath = dirname(model);
  const name = isFolder && env ? basename(model) : model;
  const loaded = await Promise.all([
    AutoTokenizer.from_pretrained(name, options),
    AutoModelForSequenceClassification.from_pretrained(name, { ...options, dtype }),
  ]).catch((error: unknown) => {
    const said = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new UsageError(
      `The cross-encoder ${model} cannot be loaded: ${said}. Give the folder or name of an ONNX model.`,
      {
        cause: error,
      },
    );
  });
  const [tokenize, classify] = [Callable.parse(loaded[0]), Callable.parse(loaded[1])];
  const at = entailedAt(Labels.parse(loaded[1]).config, model, label);
  return async (some) => {
    const premises = some.map(({ premise }) => premise.toWellFormed());
    const text_pair = some.map(({ claim }) => claim.toWellFormed());
    const inputs = await tokenize(premises, { text_pair, padding: true, truncation: true });
    const { logits } = Logits.parse(await classify(inputs));
    return Rows.parse(logits.tolist()).map((row) => chance(row, at));
  };
}

const NAME: string = "@huggingface/transformers";

/** The name is no literal, so that compilers and bundlers do not ask for the package. */
const installed = (): Promise<unknown> => import(NAME);

async function opened(load: () => Promise<unknown>): Promise<unknown> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw error;
    throw new UsageError(`A cross-encoder needs Transformers.js, which is not installed: npm install ${NAME}`, {
      cause: error,
    });
  }
}

const isCallable = (value: unknown): value is (...parts: unknown[]) => unknown => typeof value === "function";
const Callable = z.custom<(...parts: unknown[]) => unknown>(isCallable);
const Pretrained = z.custom<{ from_pretrained: (model: string, options?: object) => Promise<unknown> }>(
  (value) => isCallable(value) && "from_pretrained" in value && isCallable(value.from_pretrained),
);
const Library = z.looseObject({
  AutoTokenizer: Pretrained,
  AutoModelForSequenceClassification: Pretrained,
  env: z.custom<{ localModelPath: string }>((value) => typeof value === "object" && value !== null).optional(),
});
const Labels = z.custom<{ config: { id2label?: Record<string, string> } }>(
  (value) => isCallable(value) && "config" in value && typeof value.config === "object" && value.config !== null,
);
const Logits = z.object({
  logits: z.custom<{ tolist: () => unknown }>((value) => typeof value === "object" && value !== null),
});

/** A model may answer with what is no number. */
const Rows = z.array(z.array(z.custom<number>((value) => typeof value === "number")));

/** The place of the label for "entailed" among the logits. */
function entailedAt(
  { id2label = {} }: { id2label?: Record<string, string> },
  model: string,
  label: string | undefined,
): number {
  const labels = Object.entries(id2label);
  if (labels.length === 1 && label === undefined) return 0;
  const found = labels.find(([, name]) => (label === undefined ? ENTAILED.test(name) : name === label));
  if (!found) {
    const names = labels.map(([, name]) => name).join(", ") || "none";
    throw new UsageError(
      `The model ${model} has no label ${label ?? "for entailment"} (it has: ${names}). Name it with \`label\`.`,
    );
  }
  return Number(found[0]);
}
const ENTAILED = /^(?:entail|support|consistent)/i;

/** A lone logit goes through the logistic function, several through softmax. */
function chance(logits: readonly number[], at: number): number {
  const top = Math.max(...logits);
  const value =
    logits.length === 1
      ? 1 / (1 + Math.exp(-(logits[0] ?? 0)))
      : Math.exp((logits[at] ?? Number.NEGATIVE_INFINITY) - top) /
        logits.reduce((sum, x) => sum + Math.exp(x - top), 0);
  return Number.isFinite(value) ? value : 0;
}
