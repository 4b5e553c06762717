import { describe, expect, test } from "vitest";
import { Context } from "../../src/state/context.js";
import type { Decision } from "../../src/types/events.js";
import { halfway, insatiable } from "./graphs/scripted.js";

/** The shortest path has six nodes, and LangGraph needs one more step to finish. */
const SMALLEST = 7;

describe.each([
  ["never finds enough", halfway],
  ["always wants more", insatiable],
])("a graph that %s", (_, graph) => {
  test.each([0, 1, 3])(
    "ends within any recursion limit along the edges in its log, with %i repairs",
    async (repairs) => {
      const context = Context.parse({ repairs, budget: { rounds: 10, steps: 200 } });
      for (let recursionLimit = SMALLEST; recursionLimit <= 26; recursionLimit++) {
        const taken: Decision[] = [];
        const run = await graph.stream(
          { question: "When does the Lisbon office open?" },
          { recursionLimit, context, streamMode: "updates" },
        );
        for await (const update of run)
          for (const step of Object.values(update)) taken.push(...(step?.decisions?.slice(-1) ?? []));
        expect(taken.map((decision) => decision.to)).toEqual([...taken.slice(1).map((d) => d.step), "END"]);
      }
    },
    60_000,
  );
});
