import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as Web from "onnxruntime-web";

/** A loaded network. */
export type Network = (words: Float32Array, mask: BigInt64Array, shape: readonly [number, number]) => Promise<Outputs>;
export type RuntimeKind = "native" | "wasm" | undefined;
export type Outputs = Readonly<Record<string, Float32Array>>;

/**
 * Opens ONNX networks with onnxruntime-node if installed, else in WebAssembly, which takes about six times as long.
 * Their scores differ by 0.003 on average, since 8-bit rounding differs (model/README.md).
 */
export async function openRuntime({
  width,
  kind,
}: {
  width: number;
  kind?: RuntimeKind;
}): Promise<(path: string, threads: number) => Promise<Network>> {
  const native = kind === "wasm" ? undefined : loadNative();
  const ort = native ?? (await loadWeb());
  return async (path, threads) => {
    if (!native) ort.env.wasm.numThreads = threads;
    const session = await ort.InferenceSession.create(path, {
      intraOpNumThreads: threads,
      logSeverityLevel: 3,
      // The networks are written as they are to run (research/training/network.py), so optimizing only takes time.
      graphOptimizationLevel: "disabled",
    });
    return async (words, mask, [batch, tokens]) => {
      const found = await session.run({
        words: new ort.Tensor("float32", words, [batch, tokens, width]),
        mask: new ort.Tensor("int64", mask, [batch, tokens]),
      });
      return Object.fromEntries(Object.entries(found).map(([name, { data }]) => [name, data as Float32Array]));
    };
  };
}

/** Says what to do if no runtime is installed. */
export const NO_RUNTIME =
  "Nothing on this machine can run the encoder. Install a runtime: npm install onnxruntime-web. Or set EMEND_ENCODER=off to use words alone.";

/** True if one of the packages is installed, with a binary for this machine if it needs one. */
export function hasRuntime(): boolean {
  const { resolve } = createRequire(import.meta.url);
  const there = (name: string) => {
    try {
      return resolve(name);
    } catch {
      return undefined;
    }
  };
  const native = there("onnxruntime-node/package.json");
  const binaries = native && join(dirname(native), "bin/napi-v3", process.platform, process.arch);
  return (binaries !== undefined && existsSync(binaries)) || there("onnxruntime-web") !== undefined;
}

/** @throws Error that says what to install. */
async function loadWeb(): Promise<typeof Web> {
  try {
    return (await import("onnxruntime-web")) as typeof Web;
  } catch (error) {
    throw new Error(NO_RUNTIME, { cause: error });
  }
}

/** Undefined if the optional package is not installed or has no binary for this machine. */
function loadNative(): typeof Web | undefined {
  // Named `require`, so that bundlers find the package.
  const require = createRequire(import.meta.url);
  try {
    return require("onnxruntime-node") as typeof Web;
  } catch {
    return undefined;
  }
}
