import { readFile } from "node:fs/promises";
import { Hono } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { HTTPException } from "hono/http-exception";

/** The page at `/`, as it was built from `src/page`: a few files that hold no data. */
export function page(): Hono {
  const app = new Hono();
  for (const [path, { file, type }] of Object.entries(FILES))
    app.get(path, etag(), compress(), async (c) => {
      const content = await readFile(new URL(file, BUILT), "utf8").catch(() => {
        throw new HTTPException(404, { message: "The page is not built. Run: npm run build" });
      });
      return c.body(content, 200, {
        "Content-Type": type,
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-cache",
      });
    });
  return app;
}

/** `dist/page`, both from `dist/server` in the package and from `src/server` in a checkout. */
const BUILT = new URL("../../dist/page/", import.meta.url);

const FILES = {
  "/": { file: "index.html", type: "text/html; charset=utf-8" },
  "/main.js": { file: "main.js", type: "text/javascript; charset=utf-8" },
  "/chunk.js": { file: "chunk.js", type: "text/javascript; charset=utf-8" },
  "/quality.js": { file: "quality.js", type: "text/javascript; charset=utf-8" },
  "/quality.css": { file: "quality.css", type: "text/css; charset=utf-8" },
  "/page.css": { file: "page.css", type: "text/css; charset=utf-8" },
  "/icon.svg": { file: "icon.svg", type: "image/svg+xml" },
};

/** Allows only these files and requests to this server, and never turns text into HTML. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Pictures of pages are fetched with a token.
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
