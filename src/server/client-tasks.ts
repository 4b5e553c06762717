/**
 * Answers what a chat client asks a model of its own accord, beside the user's questions: a title, tags, follow-up
 * questions or search queries for the conversation. That is about the conversation and not about the documents, so nothing
 * is searched and no model is called: the title is the first question, and of the rest there is none.
 * @param text the only message of the conversation.
 * @returns the reply; undefined for anything but the usual words of Open WebUI and LibreChat.
 */
export function clientTask(text: string): string | undefined {
  // Open WebUI: utils/task.py. All of its tasks begin like this and end in the form of the reply and the conversation.
  if (text.startsWith("### Task:\n") && text.includes("<chat_history>")) {
    const [, key = ""] = /\{\s*"(title|tags|follow_ups|queries|prompt|text)":/.exec(text) ?? [];
    if (key === "title") return JSON.stringify({ title: titleIn(between(text, "<chat_history>", "</chat_history>")) });
    if (key) return JSON.stringify({ [key]: LISTS.has(key) ? [] : "" });
  }
  // LibreChat: @librechat/agents, utils/title.ts.
  if (text.startsWith("Provide a concise, 5-word-or-less title for the conversation"))
    return titleIn(between(text, "Conversation:", ""));
  return undefined;
}

const LISTS: ReadonlySet<string> = new Set(["tags", "follow_ups", "queries"]);

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start) + start.length;
  return text.slice(from, end ? text.lastIndexOf(end) : undefined);
}

/** Returns the first line that the user wrote, cut where a title gets long. */
function titleIn(conversation: string): string {
  const [, said = ""] = /^\s*user: *(\S.*)/i.exec(conversation) ?? [];
  const whole = [...said.trim()];
  if (whole.length <= LONGEST_TITLE) return whole.join("");
  const cut = whole.slice(0, LONGEST_TITLE).join("");
  // At the end of a word, where the language has a space there.
  return `${cut.includes(" ") ? cut.slice(0, cut.lastIndexOf(" ")) : cut}…`;
}

const LONGEST_TITLE = 50;
