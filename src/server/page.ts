import { readFile } from "node:fs/promises";
import { type Handler, Hono } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { HTTPException } from "hono/http-exception";

/** The page at `/`, as it was built from `src/page`: a few files that hold no data. */
export function page(): Hono {
  const app = new Hono();
  for (const [path, file] of Object.entries(FILES)) app.get(path, etag(), compress(), built(file, policy([])));
  return app;
}

/** Sends a file of `dist/page` under a policy. */
export const built =
  ({ name, type }: { name: string; type: string }, policy: string): Handler =>
  async (c) => {
    const content = await readFile(new URL(name, BUILT), "utf8").catch(() => {
      throw new HTTPException(404, { message: "The page is not built. Run: npm run build" });
    });
    return c.body(content, 200, {
      "Content-Type": type,
      "Content-Security-Policy": policy,
      "Cache-Control": "no-cache",
    });
  };

/** `dist/page`, both from `dist/server` in the package and from `src/server` in a checkout. */
const BUILT = new URL("../../dist/page/", import.meta.url);

const FILES = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/main.js": { name: "main.js", type: "text/javascript; charset=utf-8" },
  "/chunk.js": { name: "chunk.js", type: "text/javascript; charset=utf-8" },
  "/quality.js": { name: "quality.js", type: "text/javascript; charset=utf-8" },
  "/quality.css": { name: "quality.css", type: "text/css; charset=utf-8" },
  "/page.css": { name: "page.css", type: "text/css; charset=utf-8" },
  "/icon.svg": { name: "icon.svg", type: "image/svg+xml" },
};

/**
 * Allows only these files and requests to this server, and never turns text into HTML.
 * @param origins whose pages may show it in a frame.
 */
export const policy = (origins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Pictures of pages are fetched with a token.
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.join(" ") || "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
