import { tokenize } from "../tools/page-reader/tokens.js";

/**
 * The encodings that a page in HTML is declared to be in: what its server says (`text/html; charset=gb2312`), then what
 * its head says. As a browser reads it: a comment, a script or the text of the page declares nothing.
 */
export function declaredCharsets(bytes: Uint8Array, contentType = ""): string[] {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, FAR_ENOUGH));
  const said = [charsetIn(contentType), /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w-]+)/i.exec(start)?.[1] ?? ""];
  let isHead = true;
  tokenize(start, {
    start(name, attributes) {
      if (name === "body") isHead = false;
      if (name !== "meta" || !isHead) return;
      const isType = attributes.get("http-equiv")?.trim().toLowerCase() === "content-type";
      said.push(attributes.get("charset")?.trim() ?? (isType ? charsetIn(attributes.get("content") ?? "") : ""));
    },
    end(name) {
      if (name === "head") isHead = false;
    },
    text() {},
  });
  // What could be read so far is no UTF-16, whatever it says.
  return said.map((label) => label.toLowerCase()).filter((label) => label !== "" && !label.startsWith("utf-16"));
}

/** Bytes; a head can begin with long scripts. */
const FAR_ENOUGH = 64 * 1024;

const charsetIn = (text: string) => /charset\s*=\s*["']?\s*([\w-]+)/i.exec(text)?.[1] ?? "";
