import type { AgentEvent } from "../types/events.js";

/** Reads the events of `/api/ask` from pieces of its text. @throws Error if one of them is an error. */
export async function* eventsIn(pieces: AsyncIterable<string>): AsyncGenerator<AgentEvent> {
  let left = "";
  for await (const piece of pieces) {
    const blocks = (left + piece).split("\n\n");
    left = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      const event = JSON.parse(data);
      if (typeof event.error === "string") throw new Error(event.error);
      yield event;
    }
  }
}
