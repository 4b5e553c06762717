import { HumanMessage } from "@langchain/core/messages";
import { expect, test } from "vitest";
import { assistantMessage, turnsIn } from "../../src/conversation/messages.js";
import { OPEN_JOBS } from "../computed.js";

test("a turn of a thread has what was computed from tables for its citations", () => {
  const told = { status: "answered", segments: [], citations: [] };
  const reply = (emend: object) => assistantMessage("4 [1].", "", { additional_kwargs: { emend } });
  const computed = { "table:1": OPEN_JOBS };
  const messages = [new HumanMessage("How many?"), reply({ ...told, computed }), new HumanMessage("Who?"), reply(told)];
  expect(turnsIn(messages, "", false).map((turn) => turn.computed)).toEqual([computed, undefined]);
});
