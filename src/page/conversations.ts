/** A conversation in this browser's list. The server keeps the conversations, but no list of them. */
export interface Listed {
  id: string;
  title: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The name of the collection that is asked; absent for all documents. */
  collection?: string;
}

const LIST = "emend-conversations";
const MAX_LISTED = 100;

export function listedConversations(): Listed[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(LIST) ?? "[]");
    return Array.isArray(list) ? list.filter(isListed) : [];
  } catch {
    return [];
  }
}

const OWNER = "emend-owner";

/** Forgets the list of another user of this browser. Returns true if it did. */
export function listBelongsTo(user: string): boolean {
  const owner = localStorage.getItem(OWNER);
  localStorage.setItem(OWNER, user);
  if (owner === null || owner === user) return false;
  localStorage.removeItem(LIST);
  return true;
}

/** Forgets the list, so that nobody else sees it. */
export const forgetList = () => localStorage.removeItem(LIST);

const isListed = (one: Partial<Listed> | null): one is Listed =>
  typeof one?.id === "string" && typeof one.title === "string" && typeof one.at === "number";

/** Puts a conversation first in the list. Its first question is its title. */
export function rememberConversation(id: string, question: string, collection: string): Listed[] {
  const before = listedConversations();
  const { title = question.replace(/\s+/g, " ").slice(0, 80) } = before.find((one) => one.id === id) ?? {};
  return kept([
    { id, title, at: Date.now(), ...(collection && { collection }) },
    ...before.filter((one) => one.id !== id),
  ]);
}

/** Changes the collection of a conversation that is in the list. */
export const rememberCollection = (id: string, collection: string): Listed[] =>
  kept(listedConversations().map((one) => (one.id === id ? { ...one, collection } : one)));

export const forgetConversation = (id: string): Listed[] => kept(listedConversations().filter((one) => one.id !== id));

function kept(list: Listed[]): Listed[] {
  const newest = list.slice(0, MAX_LISTED);
  try {
    localStorage.setItem(LIST, JSON.stringify(newest));
  } catch {
    // The storage is full or blocked. The list is lost with this page, but the question is still asked.
  }
  return newest;
}
