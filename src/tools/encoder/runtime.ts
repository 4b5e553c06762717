import { createRequire } from "node:module";
import type * as Web from "onnxruntime-web";

/** A loaded network. */
export type Network = (words: Float32Array, mask: BigInt64Array, shape: readonly [number, number]) => Promise<Outputs>;
export type RuntimeKind = "native" | "wasm" | undefined;
export type Outputs = Readonly<Record<string, Float32Array>>;

/**
 * Opens ONNX networks with onnxruntime-node if installed, else in WebAssembly, which takes about six times as long. Their
 * scores differ by 0.006 on average, since 8-bit rounding differs (model/README.md).
 */
export async function openRuntime({
  threads,
  width,
  kind,
}: {
  threads: number;
  width: number;
  kind?: RuntimeKind;
}): Promise<(path: string) => Promise<Network>> {
  const native = kind === "wasm" ? undefined : loadNative();
  const ort = native ?? ((await import("onnxruntime-web")) as typeof Web);
  if (!native) ort.env.wasm.numThreads = threads;
  return async (path) => {
    const session = await ort.InferenceSession.create(path, { intraOpNumThreads: threads, logSeverityLevel: 3 });
    return async (words, mask, [batch, tokens]) => {
      const found = await session.run({
        words: new ort.Tensor("float32", words, [batch, tokens, width]),
        mask: new ort.Tensor("int64", mask, [batch, tokens]),
      });
      return Object.fromEntries(Object.entries(found).map(([name, { data }]) => [name, data as Float32Array]));
    };
  };
}

/** Undefined if the optional package is not installed or has no binary for this machine. */
function loadNative(): typeof Web | undefined {
  try {
    return createRequire(import.meta.url)("onnxruntime-node") as typeof Web;
  } catch {
    return undefined;
  }
}
