import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { InferenceSession, Tensor } from "onnxruntime-web";
import { loadRuntime } from "../encoder/runtime.js";
import { type Box, boxesIn } from "./boxes.js";
import { cutOut, type Pixels, resized, turned } from "./pixels.js";

/** A word that was read, where it is on the upright page. */
export interface ReadWord {
  text: string;
  /** Its left edge, the middle of its height, and its size, in pixels. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** How sure its least certain character is, 0 to 1. */
  confidence: number;
}

/** What was read on a picture. */
export interface ReadPage {
  /** The size of the upright page, in pixels. */
  width: number;
  height: number;
  /** Its lines, each with its words from left to right. */
  lines: ReadWord[][];
}

/**
 * Opens the two networks of PP-OCRv6 (model/ocr): one finds lines of text, the other reads a line.
 * @param threads for each network.
 */
export async function openReader(threads: number): Promise<(page: Pixels) => Promise<ReadPage>> {
  const ort = await loadRuntime(threads);
  const open = (file: URL) =>
    ort.InferenceSession.create(fileURLToPath(file), {
      intraOpNumThreads: threads,
      logSeverityLevel: 3,
      // Frees what a page needed, so that a large one does not count for those after it.
      enableCpuMemArena: false,
    });
  const [find, read, characters] = await Promise.all([open(FIND), open(READ), readFile(CHARACTERS, "utf8")]);
  // 0 stands for no character; a space is the last one.
  const alphabet = ["", ...characters.split("\n"), " "];

  async function run(network: InferenceSession, { width, height, data }: Pixels, least = width): Promise<Tensor> {
    const across = Math.max(width, least);
    const values = new Float32Array(3 * across * height);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) values[y * across + x] = (data[y * width + x] ?? 255) / 127.5 - 1;
    const plane = across * height;
    values.copyWithin(plane, 0, plane);
    values.copyWithin(2 * plane, 0, plane);
    const found = await network.run({ x: new ort.Tensor("float32", values, [1, 3, height, across]) });
    const [tensor] = Object.values(found);
    if (!tensor) throw new Error("The network gave nothing.");
    return tensor;
  }

  async function linesOn(page: Pixels): Promise<Box[]> {
    const scale = Math.min(2, Math.sqrt(FIND_AREA / (page.width * page.height)));
    const [width, height] = [page.width, page.height].map((side) => Math.max(32, Math.round((side * scale) / 32) * 32));
    if (!width || !height) return [];
    const map = await run(find, await resized(page, width, height));
    const [across, down] = [page.width / width, page.height / height];
    return boxesIn(map.data as Float32Array, width, height).map(({ x, y, ...box }) => ({
      x: x * across,
      y: y * down,
      width: box.width * across,
      height: box.height * down,
      angle: box.angle,
    }));
  }

  async function readLine(page: Pixels, box: Box): Promise<ReadWord[]> {
    const line = cutOut(page, box, LINE_HEIGHT);
    if (line.width > LONGEST_LINE) return [];
    const { data, dims } = await run(read, line, NARROWEST);
    const [, steps = 0, classes = 0] = dims;
    return wordsIn(data as Float32Array, steps, classes, alphabet).map(({ text, confidence, from, to }) => {
      // The part of the box that the steps of the word stand for.
      const share = Math.max(line.width, NARROWEST) / (steps * line.width);
      const [start, end] = [Math.min(1, from * share), Math.min(1, to * share)];
      const middle = ((start + end) / 2 - 0.5) * box.width;
      const [cos, sin] = [Math.cos(box.angle), Math.sin(box.angle)];
      const width = (end - start) * box.width;
      return {
        text,
        confidence,
        x: box.x + middle * cos - width / 2,
        y: box.y + middle * sin,
        width,
        height: box.height,
      };
    });
  }

  return async (given) => {
    let page = given;
    let boxes = await linesOn(page);
    const quarters = await turnOf(page, boxes);
    if (quarters > 0) {
      page = await turned(page, quarters);
      boxes = await linesOn(page);
    }
    const lines: ReadWord[][] = [];
    for (const box of boxes) lines.push(await readLine(page, box));
    return {
      width: page.width,
      height: page.height,
      lines: level(page, boxes, lines).filter(({ length }) => length > 0),
    };
  };

  /** By how many quarters a page must be turned clockwise so that its lines can be read. */
  async function turnOf(page: Pixels, boxes: readonly Box[]): Promise<number> {
    const tall = boxes.filter(({ width, height }) => height > 1.5 * width);
    const isSideways = tall.length > boxes.length / 2;
    const longest = (isSideways ? tall : boxes)
      .toSorted((a, b) => Math.max(b.width, b.height) - Math.max(a.width, a.height))
      .slice(0, SAMPLE);
    let [best, most] = [0, 0];
    for (const quarters of isSideways ? [1, 3, 0, 2] : [0, 2]) {
      const sure = await surenessOf(page, longest, quarters);
      if (sure > most) [best, most] = [quarters, sure];
      if (sure > SURE) break;
    }
    return best;
  }

  async function surenessOf(page: Pixels, boxes: readonly Box[], quarters: number): Promise<number> {
    let [sum, count] = [0, 0];
    for (const box of boxes) {
      const line = await turned(cutOut(page, box, Math.round(box.height)), quarters);
      const whole = { x: line.width / 2, y: line.height / 2, width: line.width, height: line.height, angle: 0 };
      for (const { text, confidence } of await readLine(line, whole)) {
        sum += confidence * text.length;
        count += text.length;
      }
    }
    return count === 0 ? 0 : sum / count;
  }
}

const FIND = new URL("../../../model/ocr/find.onnx", import.meta.url);
const READ = new URL("../../../model/ocr/read.onnx", import.meta.url);
const CHARACTERS = new URL("../../../model/ocr/characters.txt", import.meta.url);

/** In pixels: pages are scaled to this area for the network that finds lines. */
const FIND_AREA = 900_000;
/** In pixels: the other network expects lines of this height. */
const LINE_HEIGHT = 48;
const NARROWEST = 64;
const LONGEST_LINE = 6_000;
/** How many lines show which way up a page is. */
const SAMPLE = 6;
const SURE = 0.85;

/** Moves words as if the page were turned until its lines are level. */
function level({ width, height }: Pixels, boxes: readonly Box[], lines: readonly ReadWord[][]): ReadWord[][] {
  const long = boxes.filter((box) => box.width > 3 * box.height).toSorted((a, b) => a.angle - b.angle);
  const angle = long[long.length >> 1]?.angle ?? 0;
  const [cos, sin] = [Math.cos(-angle), Math.sin(-angle)];
  return lines.map((words) =>
    words.map((word) => {
      const [dx, dy] = [word.x + word.width / 2 - width / 2, word.y - height / 2];
      return { ...word, x: width / 2 + dx * cos - dy * sin - word.width / 2, y: height / 2 + dx * sin + dy * cos };
    }),
  );
}

/** Reads the words of a line: the likeliest character of each step, without repetitions (CTC). */
function wordsIn(likely: Float32Array, steps: number, classes: number, alphabet: readonly string[]) {
  const words: { text: string; confidence: number; from: number; to: number }[] = [];
  let last = 0;
  let isNew = true;
  for (let step = 0; step < steps; step++) {
    let best = 0;
    const row = step * classes;
    for (let i = 1; i < classes; i++) if ((likely[row + i] ?? 0) > (likely[row + best] ?? 0)) best = i;
    if (best !== 0 && best !== last) {
      const character = alphabet[best] ?? "";
      const confidence = likely[row + best] ?? 0;
      const word = words.at(-1);
      if (character.trim() === "") isNew = true;
      else if (isNew || !word) {
        words.push({ text: character, confidence, from: step, to: step + 1 });
        isNew = false;
      } else {
        word.text += character;
        word.confidence = Math.min(word.confidence, confidence);
        word.to = step + 1;
      }
    }
    last = best;
  }
  return words;
}
