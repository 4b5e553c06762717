import { describe, expect, test, vi } from "vitest";
import { PageUnavailableError, StoreUnavailableError } from "../../src/errors.js";
import { ingestPages, isAddress } from "../../src/ingest/ingest-pages.js";
import { inMemoryDocuments } from "../../src/testing/index.js";
import type { PageReader } from "../../src/tools/web/port.js";

const reading = (pages: Record<string, string>): PageReader => ({
  read: async (url) => {
    const markdown = pages[url];
    if (markdown === undefined)
      throw new PageUnavailableError("status", url, "there is no such page.", { status: 404 });
    return { url: `${url}/`, title: "Leave", published: "2025-01-02", modified: "2026-02-03", markdown };
  },
  close: async () => {},
});

describe("pages of the web in the store", () => {
  test("are stored under their final address, with their date", async () => {
    const documents = inMemoryDocuments();
    const pages = reading({ "https://a.org": "# Leave\n\nEverybody has 22 days." });
    expect(await ingestPages(["https://a.org"], { documents, pageReader: pages })).toMatchObject({
      added: 1,
      passages: 1,
    });
    const [found] = await documents.search({ text: "days" }, 5);
    expect(found).toMatchObject({
      documentId: "https://a.org/",
      uri: "https://a.org/",
      title: "Leave",
      reviewedAt: "2026-02-03",
    });
  });

  test("are written again only if they changed", async () => {
    const documents = inMemoryDocuments();
    const ingest = (text: string) =>
      ingestPages(["https://a.org"], { documents, pageReader: reading({ "https://a.org": text }) });
    await ingest("Everybody has 22 days.");
    expect(await ingest("Everybody has 22 days.")).toMatchObject({ added: 0, changed: 0, unchanged: 1, passages: 0 });
    expect(await ingest("Everybody has 25 days.")).toMatchObject({ added: 0, changed: 1, unchanged: 0 });
    expect((await documents.search({ text: "days" }, 5)).map(({ text }) => text)).toEqual(["Everybody has 25 days."]);
  });

  test("are counted as they are stored, and the work of a killed writer is finished", async () => {
    const tidy = vi.fn(async () => {});
    const pages = reading({ "https://a.org": "One.", "https://b.org": "Two." });
    const onKept = vi.fn();
    await ingestPages(["https://a.org", "https://c.org", "https://b.org"], {
      documents: { ...inMemoryDocuments(), tidy },
      pageReader: pages,
      onKept,
    });
    expect(onKept.mock.calls).toEqual([[1], [2]]);
    expect(tidy).toHaveBeenCalledOnce();
  });

  test("that cannot be read are reported, and the others are read", async () => {
    const documents = inMemoryDocuments();
    const pages = reading({ "https://b.org": "Something." });
    const summary = await ingestPages(["https://a.org", "https://b.org"], { documents, pageReader: pages });
    expect(summary).toMatchObject({
      added: 1,
      failures: [{ path: "https://a.org", reason: expect.stringContaining("no such page") }],
    });
  });

  test("fail if the store cannot be written", async () => {
    const documents = {
      ...inMemoryDocuments(),
      upsert: async () => {
        throw new StoreUnavailableError("The disk is full.");
      },
    };
    const pages = reading({ "https://a.org": "Something." });
    await expect(ingestPages(["https://a.org"], { documents, pageReader: pages })).rejects.toThrow("The disk is full");
  });
});

test.each([
  ["https://a.org/x", true],
  ["HTTP://a.org", true],
  ["docs/leave.md", false],
  ["file:///etc/passwd", false],
])("whether %s is the address of a page: %s", (text, expected) => expect(isAddress(text)).toBe(expected));
