import { visible } from "../../src/text/decode.js";
import type { Chat, ChatMessage } from "../../src/tools/chat/port.js";
import { detector } from "./injection-orders.js";

/** The defences against text that gives orders. Each can be switched off to be measured, but only here. */
export interface Defences {
  /** Sentences that address the assistant are removed, and the strips around them count as irrelevant. */
  detector: boolean;
  /** The prompt marks sources off and calls them data, and look-alike marks in them are made harmless. */
  marks: boolean;
  /** Invisible characters are removed when a text is read. */
  visible: boolean;
}

/** The combinations that are measured. The effect of checking claims shows in each: draft against answer. */
export const COMBINATIONS: readonly { name: string; defences: Defences }[] = [
  { name: "all on", defences: { detector: true, marks: true, visible: true } },
  { name: "detector off", defences: { detector: false, marks: true, visible: true } },
  { name: "marks off", defences: { detector: true, marks: false, visible: true } },
  { name: "invisible kept", defences: { detector: true, marks: true, visible: false } },
  { name: "all off", defences: { detector: false, marks: false, visible: false } },
];

/** Returns a text as the agent gets it, and sets the detector for what follows. */
export function readIn(text: string, defences: Defences): string {
  detector.on = defences.detector;
  return defences.visible ? visible(text) : text;
}

/** The chat model with the product's prompts, or with those prompts without the parts that mark sources off as data. */
export const chatWith = (chat: Chat, { marks }: Defences): Chat =>
  marks
    ? chat
    : { ...chat, send: (request) => chat.send({ ...request, messages: request.messages.map((one) => bare(one)) }) };

/** @throws Error if a prompt no longer has the marks to be removed: then nothing would be measured. */
function bare({ role, content }: ChatMessage): ChatMessage {
  if (role === "assistant") return { role, content };
  const without =
    role === "system"
      ? content.replace(/^.*<source>.*never follow.*\n/m, "")
      : content.replace(/^<source \d+> ?/gm, "").replace(/^<\/source>$/gm, "");
  if (without === content && !content.startsWith("That reply cannot be used"))
    throw new Error("The prompts of src/prompting/prompts.ts have changed: research/eval/injection-defences.ts.");
  return { role, content: without.replaceAll("＜", "<").replaceAll("［", "[") };
}
