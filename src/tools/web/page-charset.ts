import { isUtf8 } from "node:buffer";
import { decode } from "../../text/decode.js";
import { attribute, elementsBelow, parseTree } from "./html-tree.js";

/** Decodes a page. Some characters are replaced if its encoding cannot be determined. */
export function decodePage(bytes: Uint8Array, contentType = ""): string {
  try {
    return decode(bytes, declaredCharsets(bytes, contentType));
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/**
 * Returns the encodings declared for a page, first by the server (`text/html; charset=gb2312`), then in the head, as a
 * browser reads it: not in comments, scripts or text. Empty if the bytes are valid UTF-8.
 */
export function declaredCharsets(bytes: Uint8Array, contentType = ""): string[] {
  if (isUtf8(bytes)) return [];
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, FAR_ENOUGH));
  const said = [charsetIn(contentType), /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w-]+)/i.exec(start)?.[1] ?? ""];
  for (const element of elementsBelow(parseTree(start))) {
    if (element.name === "body") break;
    if (element.name !== "meta") continue;
    const isType = attribute(element, "http-equiv").toLowerCase() === "content-type";
    said.push(attribute(element, "charset") || (isType ? charsetIn(attribute(element, "content")) : ""));
  }
  // Markup that could be read as Latin-1 is not UTF-16, whatever it declares.
  return said.map((label) => label.toLowerCase()).filter((label) => label !== "" && !label.startsWith("utf-16"));
}

/** Bytes searched for declarations, since a head can begin with long scripts. */
const FAR_ENOUGH = 64 * 1024;

const charsetIn = (text: string) => /charset\s*=\s*["']?\s*([\w-]+)/i.exec(text)?.[1] ?? "";
