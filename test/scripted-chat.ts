import type { Chat } from "../src/tools/chat/port.js";

/** A chat model with these replies, in order, the last one again and again; an error is thrown. Keeps what it is asked. */
export function scriptedChat(...replies: readonly (string | object)[]) {
  const names: string[] = [];
  const prompts: string[] = [];
  const chat: Chat = {
    name: "scripted",
    identity: crypto.randomUUID(),
    formats: ["prompt"],
    timeoutMs: 1000,
    send: async ({ schemaName, messages, onText }) => {
      const reply = replies[Math.min(names.length, replies.length - 1)] ?? "";
      names.push(schemaName);
      prompts.push(messages.map(({ content }) => content).join("\n\n"));
      if (reply instanceof Error) throw reply;
      const text = typeof reply === "string" ? reply : JSON.stringify(reply);
      onText?.(text);
      return { text, cut: false, usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 5 } };
    },
  };
  return { chat, names, prompts };
}
