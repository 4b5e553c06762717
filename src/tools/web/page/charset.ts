import { isUtf8 } from "node:buffer";
import { decode } from "../../../language/decode.js";
import { attribute, elementsBelow, parseTree } from "./tree.js";

/** The text of a page in whatever encoding it came, some of it broken where that cannot be told. */
export function decodePage(bytes: Uint8Array, contentType = ""): string {
  try {
    return decode(bytes, declaredCharsets(bytes, contentType));
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/**
 * The encodings that a page is declared to be in: what its server says (`text/html; charset=gb2312`), then what its head
 * says. As a browser reads it: a comment, a script or the text of the page declares nothing. None where it is UTF-8,
 * whatever it says.
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
  // What could be read so far is no UTF-16, whatever it says.
  return said.map((label) => label.toLowerCase()).filter((label) => label !== "" && !label.startsWith("utf-16"));
}

/** Bytes; a head can begin with long scripts. */
const FAR_ENOUGH = 64 * 1024;

const charsetIn = (text: string) => /charset\s*=\s*["']?\s*([\w-]+)/i.exec(text)?.[1] ?? "";
