import { growingAnswer, type Written } from "../answer/growing.js";
import type { AgentEvent } from "../types/events.js";
import { type Screen, withoutControls, wrap } from "./screen.js";
import { sources } from "./sources.js";

/** Returns a function that shows the events of one question as growing text, and the sources at the end. */
export function transcript({ write, width, paint }: Screen, question: string) {
  const painted = ({ text, reference, look }: Written) => {
    const format = reference === undefined ? look : "cyan";
    return format ? text.replace(/\S(?:.*\S)?/g, (words) => paint(format, words)) : text;
  };
  const grow = growingAnswer(
    {
      write: (pieces) => write(pieces.map(painted).join("")),
      layOut: (text) => wrap(withoutControls(text), width),
    },
    question,
  );
  return (event: AgentEvent) => {
    grow(event);
    if (event.type !== "answer") return;
    write("\n");
    if (event.answer.references.length > 0) write(`\n${sources(event.answer, { width, paint })}\n`);
  };
}
