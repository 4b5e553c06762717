import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  type BaseMessage,
  type BaseMessageLike,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, getCurrentTaskInput, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createReactAgent, createReactAgentAnnotation } from "@langchain/langgraph/prebuilt";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Agent, agentNode, agentTool, createAgent } from "../src/index.js";
import { fakePassage, fakeTools } from "../src/testing/index.js";

const OPENS = "The Lisbon office opens at eight.";
const QUESTION = "When does the Lisbon office open?";
const tools = fakeTools({ passages: [fakePassage("lisbon", OPENS, { section: "Hours" })] });
const agent = createAgent({ tools });

/** A chat model that gives these replies in turn, and keeps what it was sent. */
class Scripted extends BaseChatModel {
  readonly sent: BaseMessage[][] = [];
  readonly replies: AIMessage[];
  constructor(...replies: AIMessage[]) {
    super({});
    this.replies = replies;
  }
  _llmType() {
    return "scripted";
  }
  override bindTools() {
    return this;
  }
  async _generate(messages: BaseMessage[]) {
    this.sent.push(messages);
    const message = this.replies.shift() ?? new AIMessage("That is all.");
    return { generations: [{ message, text: message.text }] };
  }
}

const calling = (name: string, args: Record<string, unknown> = {}, content = "") =>
  new AIMessage({ content, tool_calls: [{ id: crypto.randomUUID(), name, args, type: "tool_call" }] });

interface Options {
  outputMode?: "last_message" | "full_history";
  back?: boolean;
}

/** The graph that `createSupervisor` of @langchain/langgraph-supervisor 1.1 builds, with the messages that it adds. */
function supervisor(
  llm: BaseChatModel,
  { graph }: Pick<Agent, "graph">,
  { outputMode = "last_message", back = true }: Options = {},
) {
  const handOff = tool(
    async (_, config) => {
      const { messages } = getCurrentTaskInput() as { messages: BaseMessage[] };
      const done = new ToolMessage({
        content: `Successfully transferred to ${graph.name}`,
        name: `transfer_to_${graph.name}`,
        tool_call_id: config.toolCall.id,
      });
      return new Command({ goto: `${graph.name}`, graph: Command.PARENT, update: { messages: messages.concat(done) } });
    },
    { name: `transfer_to_${graph.name}`, description: "Ask another agent for help.", schema: z.object({}) },
  );
  const leader = createReactAgent({ name: "supervisor", llm, tools: [handOff] });
  const backMessages = () => {
    const [call, id] = ["transfer_back_to_supervisor", crypto.randomUUID()];
    return [
      new AIMessage({
        content: "Transferring back to supervisor",
        tool_calls: [{ name: call, args: {}, id }],
        name: `${graph.name}`,
      }),
      new ToolMessage({ content: "Successfully transferred back to supervisor", name: call, tool_call_id: id }),
    ];
  };
  const asked = async (state: { messages: BaseMessage[] }, config: object) => {
    const output = await graph.invoke(state, config);
    const messages = outputMode === "last_message" ? output.messages.slice(-1) : output.messages;
    return { messages: [...messages, ...(back ? backMessages() : [])] };
  };
  return new StateGraph(createReactAgentAnnotation())
    .addNode("supervisor", leader, { ends: [`${graph.name}`] })
    .addNode(`${graph.name}`, asked, { subgraphs: [graph] })
    .addEdge(START, "supervisor")
    .addEdge(`${graph.name}`, "supervisor");
}

describe.each<[string, Options]>([
  ["the last message, and is told of the way back", {}],
  ["the last message alone", { back: false }],
  ["the whole history", { outputMode: "full_history" }],
])("a supervisor that gets %s", (_, options) => {
  test("hands the user's question over, and gets an answer under the name of the agent", async () => {
    const llm = new Scripted(calling("transfer_to_emend"));
    const { messages } = await supervisor(llm, agent, options)
      .compile()
      .invoke({ messages: [new HumanMessage(QUESTION)] });
    const answers = messages.filter(({ text }) => text.includes("opens at eight [1]."));
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({ name: "emend" });
    expect(llm.sent[1]?.map(({ text }) => text)).toContain(answers[0]?.text);
  });

  test.each([true, false])("can hand over a follow-up in the same thread (with its own thread: %s)", async (kept) => {
    const own = kept ? createAgent({ tools, checkpointer: new MemorySaver() }) : agent;
    const llm = new Scripted(
      calling("transfer_to_emend", {}, "I pass this on."),
      new AIMessage({ content: "It opens early.", name: "supervisor" }),
      calling("transfer_to_emend"),
      calling("transfer_to_emend"),
    );
    const graph = supervisor(llm, own, options).compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: crypto.randomUUID() } };
    await graph.invoke({ messages: [new HumanMessage(QUESTION)] }, config);
    const { messages } = await graph.invoke({ messages: [new HumanMessage("And the Porto office?")] }, config);
    const answers = messages.filter((message) => message.additional_kwargs.emend !== undefined);
    // The second question was handed over twice.
    expect(answers).toHaveLength(3);
    expect(answers.map(({ name }) => name)).toEqual(["emend", "emend", "emend"]);
    for (const { text } of answers) expect(text).not.toContain("What is your question about?");
  });
});

describe("the question of a conversation is its newest message of a person", () => {
  const handedOver = calling("transfer_to_emend");
  const done = new ToolMessage({
    content: "Successfully transferred",
    tool_call_id: `${handedOver.tool_calls?.[0]?.id}`,
  });
  const human = (content: BaseMessageLike | string = QUESTION) => new HumanMessage({ content: content as string });

  test.each<[string, BaseMessageLike[]]>([
    ["a call of a tool and its result", [human(), handedOver, done]],
    ["a call of a tool with words", [human(), calling("transfer_to_emend", {}, "I pass this on."), done]],
    [
      "several results of tools",
      [
        human(),
        calling("a"),
        new ToolMessage({ content: "1", tool_call_id: "1" }),
        new ToolMessage({ content: "2", tool_call_id: "2" }),
      ],
    ],
    ["a message of another agent", [human(), new AIMessage({ content: "The documents will know.", name: "router" })]],
    [
      "content as blocks",
      [
        human(),
        new AIMessage({
          content: [
            { type: "text", text: "One moment." },
            { type: "tool_use", id: "1", name: "t", input: {} },
          ],
        }),
        done,
      ],
    ],
    ["a system message", [human(), new SystemMessage("Be brief.")]],
    ["nothing, as blocks of text", [new HumanMessage({ content: [{ type: "text", text: QUESTION }] })]],
    [
      "a message that is removed",
      [human(), new AIMessage({ id: "x", content: "No." }), new RemoveMessage({ id: "x" })],
    ],
    ["an earlier question and its answer", [human("How are you?"), new AIMessage("Fine."), human(), handedOver, done]],
  ])("before %s", async (_, messages) => {
    const { answer } = await agent.graph.invoke({ messages });
    expect(answer).toMatchObject({ status: "answered", text: "The Lisbon office opens at eight [1]." });
    const { messages: after } = await new StateGraph(MessagesAnnotation)
      .addNode("emend", agentNode(agent))
      .addEdge(START, "emend")
      .compile()
      .invoke({ messages });
    expect(after.at(-1)).toMatchObject({ name: "emend", content: expect.stringContaining("opens at eight [1].") });
  });

  test("and what came after it is no part of the earlier conversation", async () => {
    const seen: string[] = [];
    const rewriter = { ...tools.rewriter, standalone: async (asked: string) => `${seen.push(asked)}` };
    const { graph } = createAgent({ tools: { ...tools, rewriter } });
    await graph.invoke({ messages: [human(), calling("transfer_to_emend", {}, "I pass this on."), done] });
    expect(seen).toEqual([]);
  });

  test("so a follow-up is read with emend's answer, not with what other agents said about it", async () => {
    let history: unknown;
    const standalone = async (asked: string, given: unknown) => {
      history = given;
      return asked;
    };
    const { graph } = createAgent({ tools: { ...tools, rewriter: { ...tools.rewriter, standalone } } });
    const first = await agent.graph.invoke({ messages: [human(), handedOver, done] });
    const back = calling("transfer_back_to_supervisor", {}, "Transferring back to supervisor");
    const told = new AIMessage({ content: "Early in the morning.", name: "supervisor" });
    await graph.invoke({
      messages: [...first.messages, back, done, told, human("And the Porto office?"), handedOver, done],
    });
    expect(history).toMatchObject([{ question: QUESTION, answer: "The Lisbon office opens at eight [1]." }]);
  });

  test("unless the input has a question of its own", async () => {
    const messages = [human("When does the Porto office open?"), new AIMessage("At nine.")];
    const { answer } = await agent.graph.invoke({ messages, question: QUESTION });
    expect(answer?.queries[0]?.text).toContain(QUESTION);
  });

  test("so an image without words is asked about, not the question before it", async () => {
    const image = new HumanMessage({
      content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }],
    });
    for (const empty of [image, human(""), human("  ")]) {
      const { answer } = await agent.graph.invoke({ messages: [human(), new AIMessage("At eight."), empty] });
      expect(answer?.status).not.toBe("answered");
    }
  });

  test("and calls of tools are not named as attachments that are not read", async () => {
    const call = new AIMessage({ content: [{ type: "tool_use", id: "1", name: "t", input: {} }] });
    const { answer } = await agent.graph.invoke({ messages: [human(), call, done] });
    expect(answer?.text).not.toContain("tool_use");
  });

  test("in a thread, a question that was answered is not taken for a new one", async () => {
    const { graph } = createAgent({ tools, checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    await graph.invoke({ messages: [human()] }, config);
    const { messages } = await graph.invoke({ question: "Who opens it?" }, config);
    expect(messages.filter((message) => message.getType() === "human").map(({ text }) => text)).toEqual([
      QUESTION,
      "Who opens it?",
    ]);
  });
});

describe("the name of an agent", () => {
  test("is that of its graph and of its messages, while they grow and in the end", async () => {
    const documents = createAgent({ tools, graph: { name: "documents" } });
    expect(documents.graph.name).toBe("documents");
    const names = new Set<string | undefined>();
    const stream = await documents.graph.stream({ messages: [new HumanMessage(QUESTION)] }, { streamMode: "messages" });
    for await (const [message] of stream) if (message.getType() === "ai") names.add(message.name);
    expect([...names]).toEqual(["documents"]);
    const llm = new Scripted(calling("transfer_to_documents"));
    const { messages } = await supervisor(llm, documents)
      .compile()
      .invoke({ messages: [new HumanMessage(QUESTION)] });
    expect(messages.map(({ name }) => name)).toContain("documents");
  });

  test.each(["", "a b", "文档", "a".repeat(65)])("cannot be %j, which endpoints would refuse", (name) => {
    expect(() => createAgent({ tools, graph: { name } })).toThrow(/^graph\.name: /);
  });
});

describe("an agent of LangChain that calls emend as a tool", () => {
  test("reads the answer with the quotes, their sources and sections, so that it can cite them", async () => {
    const llm = new Scripted(calling("ask_documents", { question: QUESTION }), new AIMessage("At eight [1]."));
    const { messages } = await createReactAgent({ llm, tools: [agentTool(agent)] }).invoke({
      messages: [new HumanMessage("When can I come?")],
    });
    const told = messages.find((message) => message.getType() === "tool");
    expect(told?.text).toContain("The Lisbon office opens at eight [1].");
    expect(told?.text).toContain(`[1] lisbon › Hours (\`lisbon.md\`)\n> ${OPENS}`);
    expect(llm.sent[1]?.at(-1)?.text).toBe(told?.text);
    expect(messages.at(-1)?.text).toBe("At eight [1].");
  });
});
