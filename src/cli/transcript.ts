import { growingAnswer } from "../answer/growing.js";
import type { AgentEvent } from "../types/events.js";
import { type Screen, withoutControls, wrap } from "./screen.js";
import { sources } from "./sources.js";

/** Returns a function that shows the events of one question as growing text, and the sources at the end. */
export function transcript({ write, width, paint }: Screen, question: string) {
  const grow = growingAnswer({ write, layOut: (text) => wrap(withoutControls(text), width), paint }, question);
  return (event: AgentEvent) => {
    grow(event);
    if (event.type !== "answer") return;
    write("\n");
    if (event.answer.references.length > 0) write(`\n${sources(event.answer, { width, paint })}\n`);
  };
}
