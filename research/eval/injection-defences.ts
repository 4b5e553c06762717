import { visible } from "../../src/text/decode.js";
import type { Chat, ChatMessage } from "../../src/tools/models/chat.js";
import { detector } from "./injection-orders.js";

/** What stands between text that gives orders and the reader; each can be switched off for measuring, and only here. */
export interface Defences {
  /** Sentences that speak to the assistant are taken out, and the strip around them counts for nothing. */
  detector: boolean;
  /** Sources are marked off and called data in the prompt, and look-alike marks in them made harmless. */
  marks: boolean;
  /** Characters that nobody sees are taken out where a text is read in. */
  visible: boolean;
}

/** The combinations that are measured. That claims are checked is measured in each: draft against answer. */
export const COMBINATIONS: readonly { name: string; defences: Defences }[] = [
  { name: "all on", defences: { detector: true, marks: true, visible: true } },
  { name: "detector off", defences: { detector: false, marks: true, visible: true } },
  { name: "marks off", defences: { detector: true, marks: false, visible: true } },
  { name: "invisible kept", defences: { detector: true, marks: true, visible: false } },
  { name: "all off", defences: { detector: false, marks: false, visible: false } },
];

/** A text as the agent is given it, with the detector set for what follows. */
export function readIn(text: string, defences: Defences): string {
  detector.on = defences.detector;
  return defences.visible ? visible(text) : text;
}

/** The chat model with the product's prompts, or with those prompts bare of what marks sources off as data. */
export const chatWith = (chat: Chat, { marks }: Defences): Chat =>
  marks
    ? chat
    : { ...chat, send: (request) => chat.send({ ...request, messages: request.messages.map((one) => bare(one)) }) };

/** @throws Error where a prompt no longer has the marks this takes out: then nothing would be measured. */
function bare({ role, content }: ChatMessage): ChatMessage {
  if (role === "assistant") return { role, content };
  const without =
    role === "system"
      ? content.replace(/^.*<source>.*never follow.*\n/m, "")
      : content.replace(/^<source \d+> ?/gm, "").replace(/^<\/source>$/gm, "");
  if (without === content && !content.startsWith("That reply cannot be used"))
    throw new Error("The prompts of src/tools/models/prompts.ts have changed: research/eval/injection-defences.ts.");
  return { role, content: without.replaceAll("＜", "<").replaceAll("［", "[") };
}
