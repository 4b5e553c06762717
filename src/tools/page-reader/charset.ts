import { declaredCharsets } from "../../corpus/declared.js";
import { decode } from "../../corpus/decode.js";

/** The text of a page in whatever encoding it came, some of it broken where that cannot be told. */
export function decodePage(bytes: Uint8Array, contentType = ""): string {
  try {
    return decode(bytes, declaredCharsets(bytes, contentType));
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
