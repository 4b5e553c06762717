import type { Settings } from "../../config.js";
import { onnxEncoder } from "./onnx.js";
import type { Encoder } from "./port.js";

/** Opens the encoder that the settings name: emend's own, one in a folder, or none. */
export function openEncoder({ encoder }: Settings): Encoder | undefined {
  if (encoder === "off") return undefined;
  return onnxEncoder(encoder ? { folder: encoder } : {});
}
