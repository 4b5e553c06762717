/**
 * Replies to the requests that chat clients make on their own, besides the user's questions: for a title, tags,
 * follow-up questions or search queries. They are about the conversation, not the documents, so nothing is searched and
 * no model is called. The title is the first question; everything else is empty.
 * @param text the only message of the conversation.
 * @returns the reply; undefined unless the text is a known prompt of Open WebUI or LibreChat.
 */
export function clientTask(text: string): string | undefined {
  // Open WebUI: utils/task.py. All of its tasks begin like this, and end with the form of the reply and the
  // conversation.
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

/** Returns the first line that the user wrote, cut to the length of a title. */
function titleIn(conversation: string): string {
  const [, said = ""] = /^\s*user: *(\S.*)/i.exec(conversation) ?? [];
  const whole = [...said.trim()];
  if (whole.length <= MAX_TITLE_LENGTH) return whole.join("");
  const cut = whole.slice(0, MAX_TITLE_LENGTH).join("");
  // Cuts at the end of a word, if the language puts spaces between words.
  return `${cut.includes(" ") ? cut.slice(0, cut.lastIndexOf(" ")) : cut}…`;
}

const MAX_TITLE_LENGTH = 50;
