import { Hono, type MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { HTTPException } from "hono/http-exception";
import { secureHeaders } from "hono/secure-headers";
import { built, policy } from "./page.js";

/**
 * The widget for pages of other origins, as it was built from `src/page`: a script that adds a button, and a frame of this
 * server's origin that asks. Pages of any origin can load the script; browsers show the frame in pages of these alone.
 */
export function widget(origins: readonly string[]): Hono {
  const app = new Hono();
  const isOn: MiddlewareHandler = async (_, next) => {
    if (origins.length === 0) throw new HTTPException(404, { message: OFF });
    await next();
  };
  const headers = secureHeaders({
    referrerPolicy: "no-referrer",
    crossOriginResourcePolicy: "cross-origin",
    // The policy says more.
    xFrameOptions: false,
  });
  const allowed = policy(origins);
  // No ETag: of a page that has not changed, browsers keep the policy too, also when other origins are named.
  app.get("/widget", headers, isOn, compress(), built(FRAME, allowed));
  for (const [path, file] of Object.entries(FILES))
    app.get(path, headers, isOn, etag(), compress(), built(file, allowed));
  return app;
}

const OFF =
  "This server has no widget. Name the origins whose pages may embed it with --widget-origin or EMEND_WIDGET_ORIGINS.";

const FRAME = { name: "widget.html", type: "text/html; charset=utf-8" };

const FILES = {
  "/widget.js": { name: "widget.js", type: "text/javascript; charset=utf-8" },
  "/widget-frame.js": { name: "widget-frame.js", type: "text/javascript; charset=utf-8" },
  "/widget-frame.css": { name: "widget-frame.css", type: "text/css; charset=utf-8" },
};
