import { beforeEach, describe, expect, test } from "vitest";
import type { State } from "../../src/state/state.js";
import { finished, type StartedServer } from "./start.js";

/**
 * The behaviour of chat clients over LangGraph's SDK (Agent Chat UI, `useStream`, assistant-ui). They show the messages
 * of the thread and those that stream, answer interrupts in LangChain's format, and return to earlier steps.
 */
export const chatTests = (server: StartedServer) =>
  describe("a chat client", () => {
    let thread: string;
    beforeEach(async () => {
      thread = (await server.client.threads.create()).thread_id;
    });

    const QUESTION = "When does the Lisbon office open?";
    const ANSWER = "The Lisbon office opens at eight [1].";
    type Content = string | object[];
    const human = (content: Content, id?: string) => ({ messages: [{ type: "human", content, ...(id && { id }) }] });

    /** Asks as `useStream` does, and returns the successive texts of the streamed answer. */
    async function streamed(graph: string, given: object): Promise<string[]> {
      const seen = new Map<string, string>();
      const shown: string[] = [];
      const options = { streamMode: ["values" as const, "messages-tuple" as const], ...given };
      for await (const { event, data } of server.client.runs.stream(thread, graph, options)) {
        if (event === "error") throw new Error(JSON.stringify(data));
        if (event === "values" && Array.isArray(data.messages))
          for (const { id, content } of data.messages) seen.set(String(id), String(content));
        if (event !== "messages") continue;
        const [{ id = "", type, content }] = data;
        if (!/^ai/i.test(type)) continue;
        const text = `${seen.get(id) ?? ""}${content}`;
        seen.set(id, text);
        shown.push(text);
      }
      return shown;
    }

    const wait = (graph: string, given: object) => finished(server.client.runs.wait(thread, graph, given));
    const stateNow = () => server.client.threads.getState<State>(thread);
    const said = async () => (await stateNow()).values.messages.map(({ content }) => String(content).split("\n")[0]);

    test("the first sentence is shown before the answer is complete, and the complete answer has its sources as Markdown", async () => {
      const shown = await streamed("plain", { input: human(QUESTION) });
      const whole = `${ANSWER}\n\n**Sources**\n\n[1] lisbon (\`lisbon.md\`)\n> The Lisbon office opens at eight.`;
      // Shown again when each of the next two steps begins, since the values of the step before do not include it.
      expect(shown).toEqual([ANSWER, ANSWER, ANSWER, whole]);
      const { values } = await stateNow();
      expect(values.messages.map(({ content }) => content)).toEqual([QUESTION, whole]);
      expect(values.messages.at(-1)).toMatchObject({
        usage_metadata: { total_tokens: 0 },
        additional_kwargs: {
          emend: { status: "answered", citations: [{ quote: "The Lisbon office opens at eight." }] },
        },
      });
    });

    describe("a clarifying question", () => {
      const asked = "When does the office open?";
      const back = "Which office do you mean?";
      test("is a message of the thread while the run waits, together with the interrupt, from the first turn on", async () => {
        await streamed("plain", { input: human("How much leave is there?") });
        expect(await streamed("unclear", { input: human(asked) })).toEqual([back]);
        const { values, tasks } = await stateNow();
        expect(values.messages.map(({ content }) => content).slice(2)).toEqual([asked, back]);
        expect(tasks[0]?.interrupts[0]?.value).toEqual({
          question: back,
          reason: { code: "ambiguous" },
          action_requests: [{ name: "clarify", args: { reply: "" }, description: back }],
          review_configs: [{ action_name: "clarify", allowed_decisions: ["edit"] }],
        });
      });

      test("is answered by a decision", async () => {
        await streamed("unclear", { input: human(asked) });
        const edited_action = { name: "clarify", args: { reply: "The one in Lisbon." } };
        await streamed("unclear", { input: {}, command: { resume: { decisions: [{ type: "edit", edited_action }] } } });
        expect(await said()).toEqual([asked, back, "The one in Lisbon.", ANSWER]);
      });
    });

    describe("another answer", () => {
      /** Returns to the state before the newest message, as the regenerate button of a chat client does. */
      async function regenerate(graph: string) {
        const history = await server.client.threads.getHistory<State>(thread);
        const newest = history[0]?.values.messages.at(-1)?.id;
        const first = history.findLast(({ values }) => values.messages?.some(({ id }) => id === newest));
        const { thread_id: _, ...checkpoint } = first?.parent_checkpoint ?? {};
        await streamed(graph, { checkpoint });
        const { values } = await stateNow();
        return { ids: values.messages.map(({ id }) => id), steps: values.decisions.map(({ step }) => step) };
      }
      const steps = ["understand", "retrieve", "grade", "generate", "checkAnswer", "respond"];

      test("comes from a separate run and replaces the previous one, any number of times", async () => {
        await wait("plain", { input: human(QUESTION, "q") });
        const ids = new Set<unknown>([(await stateNow()).values.messages.at(-1)?.id]);
        for (let times = 1; times <= 2; times++) {
          const again = await regenerate("plain");
          expect(again.steps).toEqual(steps);
          expect(again.ids).toEqual(["q", expect.any(String)]);
          ids.add(again.ids[1]);
          expect(await said()).toEqual([QUESTION, ANSWER]);
        }
        expect(ids.size).toBe(3);
      });

      test("restarts at the question if the previous one was a refusal, which is not streamed", async () => {
        const { answer } = await wait("halfway", { input: human(QUESTION, "q") });
        expect(answer?.status).toBe("refused");
        const again = await regenerate("plain");
        expect(again).toEqual({ steps, ids: ["q", expect.any(String)] });
        expect(await said()).toEqual([QUESTION, ANSWER]);
      });

      test.each([
        ["a client sends the message again", human(QUESTION, "q")],
        ["the same question is asked again", { question: QUESTION }],
      ])("replaces the previous one if %s", async (_, input) => {
        await wait("plain", { input: human(QUESTION, "q") });
        const first = (await stateNow()).values.messages.at(-1)?.id;
        const { messages } = await wait("plain", { input });
        expect(messages.map(({ id }) => id)).toEqual(["q", expect.any(String)]);
        expect(messages.at(-1)?.id).not.toBe(first);
      });

      test("can be for an edited question", async () => {
        await wait("plain", { input: human("When does the office in Porto open?", "q") });
        const history = await server.client.threads.getHistory<State>(thread);
        const first = history.findLast(({ values }) => values.messages?.some(({ id }) => id === "q"));
        await streamed("plain", { input: human(QUESTION, "r"), checkpoint: first?.parent_checkpoint });
        expect((await stateNow()).values.messages.map(({ id }) => id)).toEqual(["r", expect.any(String)]);
      });
    });

    test.each([
      [QUESTION, "image", "I didn't read what was attached (image, file)"],
      ["上海办公室几点开门？", "image_url", "附件（image_url、file）没有读取"],
    ])("an attachment to a question is not dropped silently: %s", async (text, type, note) => {
      const image =
        type === "image" ? { data: "iVBORw0KGgo=", mimeType: "image/png" } : { image_url: { url: "data:," } };
      const file = { type: "file", mimeType: "application/pdf", data: "JVBERi0=", metadata: { filename: "a.pdf" } };
      const whole = await wait("plain", { input: human([{ type: "text", text }, { type, ...image }, file]) });
      expect(whole.question).toBe(text);
      expect(whole.answer).toMatchObject({ status: "answered", unread: [type, "file"] });
      expect(whole.messages.at(-1)?.content).toContain(note);
      const alone = await wait("plain", { input: human([file]) });
      expect(alone.answer?.status).toBe("refused");
      expect(alone.answer?.text).toContain("I didn't read what was attached (file)");
    });
  });
