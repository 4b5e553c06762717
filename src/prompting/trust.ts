import { createHash } from "node:crypto";
import { EndpointError, ModelNotTrustedError, toError } from "../errors.js";
import type { Chat } from "../tools/chat/port.js";
import type { ModelUse } from "../tools/chat/settings.js";
import type { Database } from "../tools/store/port.js";
import type { Call } from "../types/call.js";
import { deadline, isTimeUp, unlessAborted } from "../waiting.js";
import { modelReasoners } from "./model-reasoners.js";
import { isConclusive, TRIAL_VERSION, Trial, type Trust, trustFrom, tryModel, withShortReplies } from "./trial.js";

const GIVEN: Record<Exclude<ModelUse, "tried">, Trust> = {
  all: { answers: true, checks: true },
  answers: { answers: true, checks: false },
  none: { answers: false, checks: false },
};

/** The results of trials in a store, one for each model. */
export const trialsIn = (database: Database) => ({
  async read(key: string): Promise<Trial | undefined> {
    const [[row] = []] = await database.read([
      { sql: "SELECT result FROM emend.trials WHERE key = $1", values: [key] },
    ]);
    return row ? Trial.safeParse(JSON.parse(`${row.result}`)).data : undefined;
  },
  async write(key: string, trial: Trial): Promise<void> {
    // A question alone makes no store.
    if (!(await database.exists())) return;
    const conflict = "ON CONFLICT (key) DO UPDATE SET result = excluded.result";
    await database.write((to) => to.insert("emend.trials", [{ key, result: JSON.stringify(trial) }], conflict));
  },
});

/** The key of a pair of models in the store. It reveals neither their addresses nor the settings. */
export const trialKey = (chat: Chat, checkerChat: Chat) =>
  createHash("sha256")
    .update(JSON.stringify([chat.identity, checkerChat.identity, TRIAL_VERSION]))
    .digest("hex");

/**
 * Returns a function that says what the chat model of a run may do. The first question tries a model that the store knows
 * nothing of, and waits for it as long as its time lasts. If that is too short, the trial goes on, and other questions
 * do not wait for it. A model that fails is reported once.
 * @throws EndpointError if the model cannot be tried, or is not tried in time.
 */
export function trustIn(
  { chat, checkerChat }: { chat: Chat; checkerChat: Chat },
  { database, use = "tried" }: { database: Database; use?: ModelUse | undefined },
): (call: Call) => Promise<Trust> {
  const known = new Map<string, { tried: ReturnType<typeof triedOnce>; isLate: boolean }>();
  return async (call) => {
    if (use !== "tried") return GIVEN[use];
    // A run that may make no calls causes none.
    if (call.calls === 0 && known.size === 0) return GIVEN.none;
    const own = (call.model && chat.withModel?.(call.model)) || chat;
    const checking = checkerChat === chat ? own : checkerChat;
    if (!known.has(own.identity) && known.size >= MAX_MODELS)
      throw new EndpointError(`${own.name} is not tried: ${MAX_MODELS} models have been. Restart the program.`, 0);
    const one = known.get(own.identity) ?? begun(own, checking);
    if (one.isLate) throw new EndpointError(`${own.name} is still being tried, so this answer does without it.`);
    const found = await inTime(one.tried, call, own).catch((error: unknown) => {
      one.isLate = isTimeUp(call.modelSignal ?? call.signal);
      throw error;
    });
    const trust = trustFrom(found.trial);
    if (!trust.answers && !found.isTold) call.fault(new ModelNotTrustedError(own.name, trialInWords(found.trial)));
    found.isTold = true;
    return trust;
  };

  function begun(own: Chat, checking: Chat) {
    const one = { tried: triedOnce(own, checking, database), isLate: false };
    known.set(own.identity, one);
    const ended = () => {
      one.isLate = false;
    };
    one.tried.then(ended, () => {
      ended();
      // The other steps of a run do not try it again.
      setTimeout(() => known.delete(own.identity), RETRY_AFTER_MS).unref();
    });
    return one;
  }
}

/** A caller may name any model (context.model), and a trial is outside the budget of a question. */
const MAX_MODELS = 8;

/** Waits as long as the question's time lasts. */
async function inTime<T>(tried: Promise<T>, { signal, modelSignal = signal }: Call, { name }: Chat): Promise<T> {
  try {
    return await unlessAborted(tried, modelSignal);
  } catch (error) {
    if (!isTimeUp(signal)) signal.throwIfAborted();
    if (error instanceof EndpointError) throw error;
    throw new EndpointError(
      `${name} could not be tried in the time of this question. emend doctor tries it with more time.`,
      0,
      { cause: error },
    );
  }
}

/** In milliseconds. */
const RETRY_AFTER_MS = 10_000;

/** A trial that was not finished tells nothing, unless the model has failed on the rows that were. */
async function triedOnce(chat: Chat, checkerChat: Chat, database: Database) {
  const trials = trialsIn(database);
  const key = trialKey(chat, checkerChat);
  const time = deadline(MAX_TRIAL_MS);
  try {
    // Another model of the same class may have the same description.
    const isKept = ![chat, checkerChat].some(({ identity }) => identity.includes('"not_implemented"'));
    const kept = isKept ? await trials.read(key) : undefined;
    if (kept) return { trial: kept, isTold: false };
    const trial = await tryModel(
      modelReasoners({ chat: withShortReplies(chat), checkerChat: withShortReplies(checkerChat) }),
      time.signal,
    );
    if (!isConclusive(trial))
      throw new EndpointError(trial.failed || `${chat.name} could not be tried within ${MAX_TRIAL_MS / 1000} s.`, 0);
    // A store that can only be read keeps nothing; the program does.
    if (isKept) await trials.write(key, trial).catch(() => undefined);
    return { trial, isTold: false };
  } catch (error) {
    if (error instanceof EndpointError) throw error;
    throw new EndpointError(`${chat.name} could not be tried: ${toError(error).message}`, 0, { cause: error });
  } finally {
    time.clear();
  }
}

/** In milliseconds, for all rows. */
const MAX_TRIAL_MS = 300_000;

/** Says what a model is used for after its trial. */
export function usedFor(trial: Trial, use: ModelUse = "tried"): string {
  const { answers, checks } = use === "tried" ? trustFrom(trial) : GIVEN[use];
  const set = use === "tried" ? "" : ` (EMEND_MODEL_USE=${use})`;
  if (!answers) return `It is not used${set}: answers are quotes. Use a stronger model, or set EMEND_MODEL_USE=all.`;
  return checks ? `It reads, writes and checks${set}.` : `It reads and writes, and the encoder checks${set}.`;
}

/** Says in one sentence how a model did. */
export function trialInWords({ answers, refusals, checks }: Trial): string {
  const of = ({ right, all }: Trial["answers"]) => `${right} of ${all}`;
  return `${of(answers)} questions answered rightly, ${of(refusals)} refused that have no answer, ${of(checks)} claims judged rightly`;
}
