import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as Web from "onnxruntime-web";
import { toError } from "../../errors.js";

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
  const isNative = native !== undefined && !(native instanceof Error);
  const ort = isNative ? native : await loadWeb(native);
  return async (path, threads) => {
    if (!isNative) ort.env.wasm.numThreads = threads;
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

/** A loaded network that takes one tensor and returns one. */
export type TensorNetwork = (
  values: Float32Array,
  shape: readonly number[],
) => Promise<{ data: Float32Array; dims: readonly number[] }>;

/**
 * Opens a network whose input is called `x`, with onnxruntime-node if installed, else with onnxruntime-web. Frees what a
 * run needed, so that a large input does not count for those after it.
 * @throws Error that says what to install, and why.
 */
export async function openTensorNetwork(path: string, threads: number): Promise<TensorNetwork> {
  const native = loadNative();
  const ort = native && !(native instanceof Error) ? native : await loadWeb(native);
  if (ort !== native) ort.env.wasm.numThreads = threads;
  const session = await ort.InferenceSession.create(path, {
    intraOpNumThreads: threads,
    logSeverityLevel: 3,
    enableCpuMemArena: false,
  });
  return async (values, shape) => {
    const [tensor] = Object.values(await session.run({ x: new ort.Tensor("float32", values, shape) }));
    if (!tensor) throw new Error("The network gave nothing.");
    return { data: tensor.data as Float32Array, dims: tensor.dims };
  };
}

/**
 * @param before why the native runtime was not loaded.
 * @throws Error that says what to install, and why.
 */
async function loadWeb(before: Error | undefined): Promise<typeof Web> {
  try {
    return (await import("onnxruntime-web")) as typeof Web;
  } catch (error) {
    const [why = ""] = (before ?? toError(error)).message.split("\n");
    throw new Error(`${NO_RUNTIME} (${why})`, { cause: error });
  }
}

/** Returns the error if the optional package is not installed, has no binary for this machine, or lacks a library. */
function loadNative(): typeof Web | Error {
  // Named `require`, so that bundlers find the package.
  const require = createRequire(import.meta.url);
  try {
    return require("onnxruntime-node") as typeof Web;
  } catch (error) {
    return toError(error);
  }
}

/**
 * Never used: file tracing (Next.js, Vercel) finds by it what the runtimes load by themselves. The version of
 * onnxruntime-node is pinned. A file that is not there is passed over.
 */
loadNative.traced = () => [
  new URL("../../../../onnxruntime-node/bin/napi-v3/linux/x64/libonnxruntime.so.1.16.3", import.meta.url),
  new URL("../../../../onnxruntime-node/bin/napi-v3/linux/arm64/libonnxruntime.so.1.16.3", import.meta.url),
  new URL("../../../../onnxruntime-node/bin/napi-v3/darwin/x64/libonnxruntime.1.16.3.dylib", import.meta.url),
  new URL("../../../../onnxruntime-node/bin/napi-v3/darwin/arm64/libonnxruntime.1.16.3.dylib", import.meta.url),
  new URL("../../../../onnxruntime-node/bin/napi-v3/win32/x64/onnxruntime.dll", import.meta.url),
  new URL("../../../../onnxruntime-web/dist/ort-wasm-simd-threaded.mjs", import.meta.url),
  new URL("../../../../onnxruntime-web/dist/ort-wasm-simd-threaded.wasm", import.meta.url),
];
