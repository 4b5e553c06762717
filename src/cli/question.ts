import type { Agent, AskOptions } from "../agent.js";
import type { Answer } from "../types/answer.js";
import type { AgentEvent, Decision } from "../types/events.js";
import { progress } from "./progress.js";

export interface Outcome {
  /** Missing where the run waits for the user's reply. */
  answer?: Answer;
  decisions: Decision[];
}

/** Runs one question to its end and shows what it says, with a moving line on stderr until its first words are there. */
export async function question(
  agent: Agent,
  text: string,
  show: (event: AgentEvent) => void,
  options: AskOptions,
): Promise<Outcome> {
  const decisions: Decision[] = [];
  const line = progress();
  let answer: Answer | undefined;
  let silent = true;
  line.say("Reading the question");
  try {
    for await (const event of agent.stream(text, options)) {
      if (event.type === "decision") {
        decisions.push(event.decision);
        const doing = DOING[event.decision.to];
        if (doing && silent) line.say(doing);
        continue;
      }
      if (event.type === "answer") answer = event.answer;
      line.stop();
      silent = false;
      show(event);
    }
  } finally {
    line.stop();
  }
  return { decisions, ...(answer && { answer }) };
}

/** What the step that follows is about, in words. */
const DOING: Readonly<Record<string, string>> = {
  retrieve: "Searching the documents",
  grade: "Judging what was found",
  queryGraph: "Asking the knowledge graph",
  searchWeb: "Searching the web",
  readPages: "Reading pages",
  rewriteQuery: "Looking for other words",
  generate: "Writing the answer",
  checkAnswer: "Checking every sentence",
};
