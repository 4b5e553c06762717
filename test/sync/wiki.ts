import type { Connector, Content, Listed } from "../../src/loaders/port.js";

/** A page of the wiki: what the wiki lists of it, and its content. */
export type WikiPage = Omit<Listed, "id"> & { content?: Content | Error | undefined };

/** A wiki in memory, which counts how often each page is read. */
export function wiki(pages: Record<string, WikiPage>) {
  const reads: string[] = [];
  const source: Connector = {
    async *list() {
      for (const [id, { content: _, ...listed }] of Object.entries(pages)) yield { id, ...listed };
    },
    async read({ id }) {
      reads.push(id);
      const { content } = pages[id] ?? {};
      if (content instanceof Error) throw content;
      return content;
    },
  };
  return { pages, source, reads };
}

export const page = (text: string, rest: Omit<WikiPage, "content"> = {}): WikiPage => ({
  version: text,
  content: { text },
  ...rest,
});
