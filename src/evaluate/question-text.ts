import { isUtf8 } from "node:buffer";
import { cannotBe, toError, UsageError } from "../errors.js";
import { decode } from "../text/decode.js";
import { fileBytes } from "../tools/knowledge/lines.js";

/**
 * Reads a file of questions, in any encoding that can be told from its bytes.
 * @throws UsageError if it cannot be read, or has more than 50 MB.
 */
export async function readQuestionText(path: string): Promise<string> {
  const bytes = await bytesOf(path);
  try {
    return decode(bytes).replace(/^\uFEFF/, "");
  } catch (error) {
    throw new UsageError(`${path}: ${toError(error).message}`);
  }
}

/**
 * Reads a file of questions that is to be changed or added to.
 * @throws also UsageError if it is not UTF-8, since a file has one encoding.
 */
export async function readChangeableText(path: string): Promise<string> {
  const bytes = await bytesOf(path);
  if (!isUtf8(bytes)) throw new UsageError(`${path} is not UTF-8, in which questions are written. Save it as UTF-8.`);
  return bytes.toString("utf8");
}

async function bytesOf(path: string): Promise<Buffer> {
  const bytes = await fileBytes(path, MOST_BYTES).catch(cannotBe("read", path));
  if (bytes) return bytes;
  const most = `${path} has more than ${MOST_BYTES / 1e6} MB, the most that an evaluation reads.`;
  throw new UsageError(`${most} Take a sample of its lines.`);
}

const MOST_BYTES = 50_000_000;
