import { describe, expect, test } from "vitest";
import { Context } from "../../src/state/context.js";
import type { Decision } from "../../src/types/events.js";
import { halfway, insatiable } from "./graphs/scripted.js";

/** The straight way through has six nodes; LangGraph wants one step more to see that it is over. */
const SMALLEST = 7;

describe.each([
  ["never finds enough", halfway],
  ["always wants more", insatiable],
])("a graph that %s", (_, graph) => {
  test.each([0, 1, 3])(
    "ends within any recursion limit, by the edges its log names, with %i repairs",
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
