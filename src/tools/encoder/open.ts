import type { Settings } from "../../config.js";
import { onnxEncoder } from "./onnx.js";
import type { Encoder } from "./port.js";

/** The encoder that the settings name: emend's own, that of a folder, or none where it is off. */
export function openEncoder({ encoder }: Settings): Encoder | undefined {
  if (encoder === "off") return undefined;
  return onnxEncoder(encoder ? { folder: encoder } : {});
}
