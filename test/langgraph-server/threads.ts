import type { ThreadState } from "@langchain/langgraph-sdk";
import { beforeEach, describe, expect, test } from "vitest";
import type { State } from "../../src/state/state.js";
import { finished, type StartedServer } from "./start.js";

export const threadsTests = (server: StartedServer) =>
  describe("a client with threads", () => {
    let thread: string;
    beforeEach(async () => {
      thread = (await server.client.threads.create()).thread_id;
    });

    const question = "When does the Lisbon office open?";
    const human = (content: string) => ({ messages: [{ type: "human", content }] });
    const steps = ({ decisions }: { decisions: { step: string }[] }) => decisions.map((decision) => decision.step);

    describe("an ambiguous question", () => {
      const asked = { question: "When does the office open?" };

      test("waits for the user, and continues with the reply", async () => {
        await server.client.runs.wait(thread, "unclear", { input: asked });
        const waiting = await server.client.threads.getState(thread);
        expect(waiting.next).toEqual(["clarify"]);
        expect(waiting.tasks[0]?.interrupts[0]?.value).toMatchObject({
          question: "Which office do you mean?",
          reason: { code: "ambiguous" },
        });
        expect((await server.client.threads.get(thread)).status).toBe("interrupted");

        const resumed = await finished(
          server.client.runs.wait(thread, "unclear", { command: { resume: "The one in Lisbon." } }),
        );
        expect(resumed).toMatchObject({ question: asked.question, clarification: "The one in Lisbon." });
        expect(resumed.answer?.status).toBe("answered");
        expect(resumed.messages.map((message) => message.content)).toEqual([
          asked.question,
          "Which office do you mean?",
          "The one in Lisbon.",
          expect.stringContaining("The Lisbon office opens at eight [1]."),
        ]);
      });

      test.each([
        ["a message", human(asked.question), human("In Lisbon.")],
        ["a question", asked, { question: "In Lisbon." }],
      ])("accepts %s as the reply if a client sends one instead of resuming", async (_, input, reply) => {
        await server.client.runs.wait(thread, "unclear", { input });
        const state = await finished(server.client.runs.wait(thread, "unclear", { input: reply }));
        expect(state.understood?.question).toBe("When does the office open? In Lisbon.");
        expect(state).toMatchObject({ question: asked.question, clarification: "In Lisbon." });
        expect(state.answer?.status).toBe("answered");
        expect(state.messages.map((message) => message.content)).toEqual([
          asked.question,
          "Which office do you mean?",
          "In Lisbon.",
          expect.stringContaining("The Lisbon office opens at eight [1]."),
        ]);
      });

      test("streams the clarifying question and the answer once each if the reply is a message", async () => {
        const said = new Map<string | undefined, string>();
        for (const text of [asked.question, "In Lisbon."]) {
          const options = { input: human(text), streamMode: ["messages-tuple" as const] };
          for await (const { event, data } of server.client.runs.stream(thread, "unclear", options))
            if (event === "messages" && data[0].type === "ai")
              said.set(data[0].id, (said.get(data[0].id) ?? "") + data[0].content);
        }
        expect([...said.values()]).toEqual([
          "Which office do you mean?",
          expect.stringContaining("The Lisbon office opens at eight [1]."),
        ]);
      });

      test("is clarified again if it is asked again, and is in the thread once", async () => {
        await server.client.runs.wait(thread, "unclear", { input: human(asked.question) });
        await server.client.runs.wait(thread, "unclear", { input: human(asked.question) });
        const { next, values } = await server.client.threads.getState<State>(thread);
        expect(next).toEqual(["clarify"]);
        expect(values.messages.map((message) => message.content)).toEqual([
          asked.question,
          "Which office do you mean?",
        ]);
      });

      test("is answered with the clarifying question if there is no thread to wait in", async () => {
        const { answer } = await finished(server.client.runs.wait(null, "unclear", { input: asked }));
        expect(answer).toMatchObject({ status: "needs_clarification", text: "Which office do you mean?" });
      });
    });

    describe("a follow-up in the same thread", () => {
      test.each([
        ["question", { question: "And when does it close?" }],
        ["messages", human("And when does it close?")],
      ])("is understood from the earlier turns, given only as %s", async (_, followUp) => {
        await server.client.runs.wait(thread, "plain", { input: { question } });
        const state = await finished(server.client.runs.wait(thread, "plain", { input: followUp }));
        expect(state.question).toBe("And when does it close?");
        expect(state.understood?.question).toBe(`${question} And when does it close?`);
        expect(state.messages).toHaveLength(4);
        expect(state.messages.at(-1)?.type).toBe("ai");
      });

      test("starts without the evidence of the previous question", async () => {
        await server.client.runs.wait(thread, "plain", { input: { question } });
        await server.client.runs.wait(thread, "plain", { input: { question: "And when does it close?" } });
        const history = await server.client.threads.getHistory<State>(thread);
        const understood = history.find(({ next }) => next[0] === "retrieve")?.values;
        expect(understood).toMatchObject({ evidence: [], excluded: [], attempts: [], streamed: [] });
        for (const key of ["verdict", "draft", "report", "answer"]) expect(understood).not.toHaveProperty(key);
        expect(understood && steps(understood)).toEqual(["understand"]);
      });
    });

    test("a cancelled run stops its work, and can be resumed", async () => {
      const { run_id } = await server.client.runs.create(thread, "patient", {
        input: { question },
        streamMode: ["custom"],
      });
      for await (const { event, data } of server.client.runs.joinStream(thread, run_id, { streamMode: "custom" }))
        if (event === "custom" && data.decision?.step === "retrieve") await server.client.runs.cancel(thread, run_id);
      expect((await server.client.threads.getState(thread)).next).toEqual(["grade"]);

      const { answer } = await finished(server.client.runs.wait(thread, "patient", { input: null }));
      expect(answer?.status).toBe("answered");
    });

    test.each(["rollback", "interrupt"] as const)(
      "a question whose run was stopped for another (%s) is not part of the conversation",
      async (multitaskStrategy) => {
        const first = await server.client.runs.create(thread, "patient", {
          input: human(`Who wants ${multitaskStrategy}?`),
          streamMode: ["custom"],
        });
        for await (const { event, data } of server.client.runs.joinStream(thread, first.run_id, {
          streamMode: "custom",
        }))
          if (event === "custom" && data.decision?.step === "retrieve") break;
        const input = human(question);
        const state = await finished(server.client.runs.wait(thread, "plain", { input, multitaskStrategy }));
        expect(state.understood?.question).toBe(question);
        expect(state.messages.map((message) => message.content)).toEqual([
          question,
          expect.stringContaining("The Lisbon office opens at eight [1]."),
        ]);
      },
    );

    describe("history", () => {
      test("has a checkpoint for each step, newest first", async () => {
        await server.client.runs.wait(thread, "plain", { input: { question } });
        const history = await server.client.threads.getHistory(thread);
        expect(history.map((checkpoint) => checkpoint.next)).toEqual([
          [],
          ["respond"],
          ["checkAnswer"],
          ["generate"],
          ["grade"],
          ["retrieve"],
          ["understand"],
          ["__start__"],
        ]);
      });

      test("can be forked before grading with another threshold, and the run then takes another edge", async () => {
        const first = await finished(server.client.runs.wait(thread, "halfway", { input: { question } }));
        expect(first.answer?.status).toBe("refused");

        const { checkpoint } = await firstCheckpoint(({ next }) => next[0] === "grade");
        const fork = { input: null, checkpoint, context: { generateAt: 0.4 } };
        const forked = await finished(server.client.runs.wait(thread, "halfway", fork));
        expect(steps(forked)).toEqual(["understand", "retrieve", "grade", "generate", "checkAnswer", "respond"]);
        expect(forked.answer?.status).toBe("answered");
      });

      test("can be edited by hand, and the run then takes the edge that the edited state requires", async () => {
        await server.client.runs.wait(thread, "halfway", { input: { question } });
        const { values, next, checkpoint } = await firstCheckpoint(({ values }) => values.verdict !== undefined);
        expect(next).toEqual(["retrieve"]);

        const verdict = { ...values.verdict, grade: "correct" };
        await server.client.threads.updateState(thread, { values: { verdict }, asNode: "grade", checkpoint });
        expect((await server.client.threads.getState(thread)).next).toEqual(["generate"]);
        const { answer } = await finished(server.client.runs.wait(thread, "halfway", { input: null }));
        expect(answer?.status).toBe("answered");
      });
    });

    async function firstCheckpoint(fits: (state: ThreadState<State>) => boolean): Promise<ThreadState<State>> {
      const found = (await server.client.threads.getHistory<State>(thread)).findLast(fits);
      if (!found) throw new Error("no such checkpoint");
      return found;
    }
  });
