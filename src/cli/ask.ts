import { appendFile } from "node:fs/promises";
import type { Agent, AgentOptions, AskOptions } from "../agent.js";
import { cannotBe, EmptyStoreError } from "../errors.js";
import { type Chosen, titledIn } from "../server/collections.js";
import { openEncoder } from "../tools/encoder/onnx.js";
import { PRIVATE } from "../tools/store/make-folder.js";
import { storeName } from "../tools/store/settings.js";
import type { Answer } from "../types/answer.js";
import type { AgentEvent, Decision } from "../types/events.js";
import type { Fault } from "../types/fault.js";
import { chosenBy, contextFor } from "./collections.js";
import { settingsOf } from "./open.js";
import type { Options } from "./options.js";
import { CHECKING, progress } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { escapedJson, screen, warn } from "./screen.js";

/** `emend ask`: answers one question. */
export const askCommand: CommandRun = async (words, options, signal) => {
  const { json = false } = options;
  const out = screen(process.stdout);
  const text = words.join(" ");
  const log = await openLog(options.log);
  const chosen = await chosenBy(options);
  const agent = await openAgent(options);
  // After the encoder's process has started, which takes longest.
  const [{ transcript }, { trace }] = await Promise.all([import("./transcript.js"), import("./trace.js")]);
  try {
    const show = json ? () => {} : transcript(out, text);
    const context = contextFor(agent, chosen, options.where);
    const { answer, decisions } = await askAndShow(agent, text, show, { signal, context, chosen });
    await log(text, answer);
    if (json) out.write(`${escapedJson(answer)}\n`);
    if (options.trace) {
      const { write, ...look } = json ? screen(process.stderr) : out;
      write(`${json ? "" : "\n"}${trace(decisions, answer, look)}\n`);
    }
    warnOfFaults(decisions);
    await warnOfLostRecords(agent);
    if (answer?.status === "unavailable") return EXIT.fault;
    return answer && ANSWERS.has(answer.status) ? EXIT.done : EXIT.notAnswered;
  } finally {
    await agent.close();
  }
};

/** The ends of a run that shows something to read. */
const ANSWERS: ReadonlySet<Answer["status"]> = new Set(["answered", "partial", "unsure"]);

/** Prints one line if a run could not be recorded. */
export async function warnOfLostRecords({ tools: { runs } }: Agent): Promise<void> {
  await runs?.close();
  const error = runs?.lost();
  if (error) warn(error.message);
}

/**
 * Returns a function that adds an answer to a log, as one line of JSON; it does nothing without a log.
 * @throws UsageError if the log cannot be written.
 */
export async function openLog(path: string | undefined) {
  const append = async (text: string) => {
    if (path === undefined) return;
    await appendFile(path, text, PRIVATE).catch(cannotBe("written", `The log ${path}`));
  };
  await append("");
  return async (question: string, answer: Answer | undefined) => {
    if (answer) await append(`${JSON.stringify({ askedAt: new Date().toISOString(), question, ...answer })}\n`);
  };
}

/**
 * Opens an agent.
 * @param mayBeEmpty true if documents can be added later. Default false.
 * @throws EmptyStoreError if there are neither documents nor a knowledge graph, unless `mayBeEmpty`.
 */
export async function openAgent(options: Options, given: AgentOptions = {}, mayBeEmpty = false): Promise<Agent> {
  const settings = settingsOf(options);
  const encoder = given.tools?.encoder ? undefined : openEncoder(settings);
  // Another process loads the encoder while this one loads the agent's code.
  encoder?.prepare?.();
  const { createAgent } = await import("../agent.js");
  const agent = createAgent({ ...settings, ...(encoder && { tools: { encoder } }), ...given });
  const { documents, knowledge } = agent.tools;
  if (mayBeEmpty || !(await documents.isEmpty()) || (await knowledge?.schema().catch(() => undefined))?.nodes.length)
    return agent;
  await agent.close();
  throw new EmptyStoreError(storeName(settings));
}

/**
 * Runs a question and shows its events, with a progress line on stderr until there is something to show. Without an
 * answer, the run waits for the user's reply.
 */
export async function askAndShow(
  agent: Agent,
  text: string,
  show: (event: AgentEvent) => void,
  { chosen, ...options }: AskOptions & { chosen: Chosen },
): Promise<{ answer: Answer | undefined; decisions: Decision[] }> {
  const decisions: Decision[] = [];
  using line = progress();
  let answer: Answer | undefined;
  let silent = true;
  line.say("Reading the question");
  for await (const sent of agent.stream(text, options)) {
    const event = titledIn(sent, chosen);
    if (event.type === "decision") {
      decisions.push(event.decision);
      const doing = DOING[event.decision.to];
      if (doing && silent) line.say(doing);
      continue;
    }
    if (event.type === "pending") {
      if (silent) line.say(`Checking: ${event.text}`);
      continue;
    }
    if (event.type === "answer") answer = event.answer;
    line.stop();
    silent = false;
    show(event);
  }
  return { decisions, answer };
}

/** The progress line for each next step. */
const DOING: Readonly<Record<string, string>> = {
  retrieve: "Searching the documents",
  grade: "Grading what was found",
  queryGraph: "Asking the knowledge graph",
  searchWeb: "Searching the web",
  readPages: "Reading pages",
  rewriteQuery: "Rewording the question",
  generate: "Writing the answer",
  checkAnswer: CHECKING,
};

/** Prints one line if a step failed in a run that ended all the same. A spent budget is not a failure. */
export function warnOfFaults(decisions: readonly Decision[]): void {
  const all = decisions.flatMap(({ step, faults }) => faults.map((fault) => ({ step, ...fault })));
  const [first, ...more] = all.filter(
    ({ name, message }, i) =>
      name !== "BudgetSpentError" && all.findIndex((one) => one.name === name && one.message === message) === i,
  );
  if (first === undefined) return;
  const lead = WITHOUT[first.step] ?? (MODEL_FAILURES.includes(first.name) ? "without the model" : "after a fault");
  warn(`went on ${lead}: ${first.message}${more.length > 0 ? ` (and ${more.length} more: see --trace)` : ""}`);
}

/** Logs a fault of a server's run, with all that the error says. */
export const warnOfFault = ({ part }: Fault, { message }: Error): void => warn(`${part}: ${message}`);

const MODEL_FAILURES = ["EndpointError", "MalformedReplyError"];

/** What a run went on without, by the step that failed. These steps use no model. */
const WITHOUT: Readonly<Record<string, string>> = { searchWeb: "without the web", readPages: "without a page" };
