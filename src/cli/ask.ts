import type { Answer } from "../types/answer.js";
import { faults } from "./faults.js";
import { openAgent } from "./open.js";
import { question } from "./question.js";
import { EXIT, type Run } from "./run.js";
import { escapedJson, screen } from "./screen.js";
import { trace } from "./trace.js";
import { transcript } from "./transcript.js";

/** `emend ask`: one question, one answer. */
export const askCommand: Run = async (words, options, signal) => {
  const { json = false } = options;
  const [out, err] = [screen(process.stdout), screen(process.stderr)];
  const text = words.join(" ");
  const agent = await openAgent(options);
  try {
    const show = json ? () => {} : transcript(out, text);
    const { answer, decisions } = await question(agent, text, show, { signal });
    if (json) out.write(`${escapedJson(answer)}\n`);
    if (options.trace) {
      const { write, ...look } = json ? err : out;
      write(`${json ? "" : "\n"}${trace(decisions, answer, look)}\n`);
    }
    for (const line of faults(decisions)) err.write(`emend: ${line}\n`);
    return exitCode(answer);
  } finally {
    await agent.close();
  }
};

const exitCode = (answer: Answer | undefined) =>
  answer?.status === "answered" || answer?.status === "partial" ? EXIT.done : EXIT.notAnswered;
