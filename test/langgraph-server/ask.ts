import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/types/events.js";
import { finished, type StartedServer } from "./start.js";

export const askTests = (server: StartedServer) =>
  describe("a client that asks", () => {
    const question = "When does the Lisbon office open?";
    const quote = "The Lisbon office opens at eight";
    const answered = `${quote} [1].\n\n**Sources**\n\n[1] lisbon (\`lisbon.md\`)\n> ${quote}.`;

    describe("a run without a thread", () => {
      test.each([
        ["en", question, "The Lisbon office opens at eight [1]."],
        ["zh", "上海办公室几点开门？", "上海办公室早上九点开门[1]。"],
      ])("answers a question (%s)", async (language, asked, text) => {
        const { answer } = await finished(server.client.runs.wait(null, "plain", { input: { question: asked } }));
        expect(answer).toMatchObject({ status: "answered", stopReason: "supported", language, text });
      });

      test("answers a client that sends only messages with a message", async () => {
        const input = { messages: [{ type: "human", content: question }] };
        const { messages } = await finished(server.client.runs.wait(null, "plain", { input }));
        expect(messages).toHaveLength(2);
        expect(messages.at(-1)).toMatchObject({ type: "ai", content: answered });
      });

      test.each([
        [{ budget: { second: 5 } }, "Unknown option `context.budget.second`. Did you mean `seconds`?"],
        [{ nope: 1 }, "Unknown option `context.nope`. The options are `generateAt`, "],
        [{ generateAt: 7 }, "context.generateAt: Too big"],
      ])("is refused in emend's words if its context is %j", async (context, said) => {
        const run = finished(server.client.runs.wait(null, "plain", { input: { question }, context }));
        await expect(run).rejects.toThrow("UsageError");
        await expect(run).rejects.toThrow(said);
      });

      test("refuses an input that asks nothing", async () => {
        const { answer } = await finished(server.client.runs.wait(null, "plain", { input: {} }));
        expect(answer?.status).toBe("refused");
      });
    });

    describe("a stream", () => {
      test("delivers decisions and checked claims as custom events, one decision per step, and the answer last", async () => {
        const events: AgentEvent[] = [];
        const nodes: string[] = [];
        const streamMode = ["custom", "updates"] as const;
        for await (const { event, data } of server.client.runs.stream(null, "plain", {
          input: { question },
          streamMode: [...streamMode],
        })) {
          if (event === "custom") events.push(data as AgentEvent);
          if (event === "updates") nodes.push(...Object.keys(data));
        }
        const steps = events.flatMap((event) => (event.type === "decision" ? [event.decision.step] : []));
        expect(steps).toEqual(["understand", "retrieve", "grade", "generate", "checkAnswer", "respond"]);
        expect(nodes).toEqual(steps);
        const claims = events.flatMap((event) => (event.type === "claim" ? [event.claim.text] : []));
        expect(claims).toEqual(["The Lisbon office opens at eight."]);
        const answer = events.findLast((event) => event.type === "answer");
        expect(answer).toMatchObject({ answer: { status: "answered" } });
      });

      test("delivers the whole state after each step", async () => {
        const grades: (string | undefined)[] = [];
        for await (const { event, data } of server.client.runs.stream(null, "plain", {
          input: { question },
          streamMode: "values",
        }))
          if (event === "values") grades.push(data.verdict?.grade);
        expect(grades).toEqual([undefined, undefined, undefined, "correct", "correct", "correct", "correct"]);
      });

      test.each(["messages", "messages-tuple"] as const)(
        "delivers the conversation as %s, without the internal output of models",
        async (streamMode) => {
          const said = new Map<string, string>();
          let calls = 0;
          const options = { input: { question }, streamMode: [streamMode, "custom" as const] };
          for await (const { event, data } of server.client.runs.stream(null, "talkative", options)) {
            const told = event === "custom" && (data as AgentEvent);
            if (told && told.type === "answer") calls = told.answer.spend.calls;
            if (!event.startsWith("messages") || event === "messages/metadata") continue;
            for (const part of data as unknown[])
              if (typeof part === "object" && part !== null && "content" in part && "id" in part) {
                // Tuples contain the new part of a message, the other mode the whole message so far.
                const before = streamMode === "messages-tuple" ? (said.get(String(part.id)) ?? "") : "";
                said.set(String(part.id), before + part.content);
              }
          }
          expect(calls).toBeGreaterThan(0);
          expect([...said.values()]).toEqual([question, answered]);
        },
      );
    });

    describe("the context of a run", () => {
      test.each([
        ["left out", undefined],
        ["empty", {}],
        ["in part", { budget: { calls: 3 } }],
      ])("may be %s", async (_, context) => {
        const run = server.client.runs.wait(null, "plain", { input: { question }, ...(context && { context }) });
        expect((await finished(run)).answer?.status).toBe("answered");
      });

      test.each([
        [{ generateAt: 2 }, "generateAt"],
        [{ budget: { rounds: 0 } }, "rounds"],
        [{ repairs: "many" }, "repairs"],
      ])("is refused by name if a value is invalid: %j", async (context, name) => {
        const run = finished(
          server.client.runs.wait(null, "plain", { input: { question }, context, raiseError: false }),
        );
        await expect(run).rejects.toThrow(name);
      });
    });

    describe("a run that never finds enough", () => {
      const context = { budget: { rounds: 10, steps: 200 }, repairs: 3 };

      test("ends by its budget with an answer under a client's recursion limit of 25", async () => {
        const config = { recursion_limit: 25 };
        const run = server.client.runs.wait(null, "insatiable", { input: { question }, context, config });
        const { answer, decisions } = await finished(run);
        expect(answer).toMatchObject({ status: "partial", stopReason: "steps_spent" });
        expect(decisions.length).toBeLessThan(25);
      });

      test("has the graph's own limit if the client sets none", async () => {
        const { answer, decisions } = await finished(
          server.client.runs.wait(null, "insatiable", { input: { question }, context }),
        );
        expect(answer?.status).toBe("partial");
        expect(decisions.length).toBeGreaterThan(25);
      });
    });
  });
