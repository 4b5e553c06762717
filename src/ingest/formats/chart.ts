import type { TreeElement, TreeParent } from "../../tools/web/html-tree.js";
import { at, childrenOf, descendants, textOf } from "./archive.js";
import { inLine, type SpendCharacters } from "./content.js";
import { numberFormat } from "./numbers.js";
import { tables } from "./table.js";

interface Series {
  name: string;
  categories: readonly string[];
  /** The value of each category, as it is shown. */
  values: readonly string[];
  /** For a chart of points: what the categories are. */
  across: string;
}

/** Writes the values that a chart of Office keeps, as tables under its title. Without values, only the title. */
export function chart(root: TreeParent, spend: SpendCharacters): string {
  const space = at(root, "chartSpace");
  const plot = at(space, "chart", "plotArea");
  const title = inLine(words(at(space, "chart", "title")));
  const series = plot
    ? childrenOf(plot)
        .filter(({ name }) => name.endsWith("Chart"))
        .flatMap((kind) => childrenOf(kind, "ser").map((one) => seriesOf(one, axesOf(kind, plot))))
    : newer(at(space, "chartData"));
  const shown = series.filter(({ values }) => values.some((value) => value !== ""));
  const written: string[] = [];
  // Series of different categories are tables of their own.
  for (const group of Map.groupBy(shown, ({ across, categories }) => JSON.stringify([across, categories])).values()) {
    const [{ across, categories }] = group as [Series];
    const rows = categories.map((category, i) => [category, ...group.map(({ values }) => values[i] ?? "")]);
    written.push(tables([[across, ...group.map(({ name }) => name)], ...rows], spend));
  }
  const text = [title, ...written].filter((part) => part !== "").join("\n\n");
  spend(text.length);
  return text;
}

/** What the axes of a kind of chart say. */
interface Axes {
  category: string;
  value: string;
  format: string;
  /** What the axis divides the values by. */
  scale: number;
}

function axesOf(kind: TreeElement, plot: TreeElement): Axes {
  const all = new Map(childrenOf(plot).map((axis) => [at(axis, "axId")?.attribs.val, axis]));
  const axes = childrenOf(kind, "axId").flatMap(({ attribs }) => all.get(attribs.val) ?? []);
  const values = axes.filter(({ name }) => name === "valAx");
  const category = axes.find(({ name }) => name !== "valAx") ?? (values.length > 1 ? values[0] : undefined);
  const value = values.find((axis) => axis !== category);
  const named = (axis: TreeElement | undefined) => inLine(words(at(axis, "title")));
  const units = at(value, "dispUnits");
  const unit = at(units, "builtInUnit")?.attribs.val ?? "";
  const label = at(units, "dispUnitsLbl");
  return {
    category: named(category),
    value: [named(value), label && (inLine(words(label)) || unit)].filter(Boolean).join(", "),
    // Stacked to a whole, the axis counts shares.
    format: at(kind, "grouping")?.attribs.val === "percentStacked" ? "" : ownFormat(at(value, "numFmt")),
    scale: UNITS[unit] ?? (Number(at(units, "custUnit")?.attribs.val) || 1),
  };
}

const UNITS: Readonly<Record<string, number>> = {
  hundreds: 1e2,
  thousands: 1e3,
  tenThousands: 1e4,
  hundredThousands: 1e5,
  millions: 1e6,
  tenMillions: 1e7,
  hundredMillions: 1e8,
  billions: 1e9,
  trillions: 1e12,
};

/** Returns the format that shows the numbers; empty for that of their cells. */
function ownFormat(element: TreeElement | undefined): string {
  const { sourceLinked = "0", formatCode = "" } = element?.attribs ?? {};
  return /^(?:1|true)$/.test(sourceLinked) || /^general$/i.test(formatCode) ? "" : formatCode;
}

/** Returns the format of the labels at the points, unless they show shares of the whole. */
function labelFormat(labels: TreeElement | undefined): string {
  const isOn = (name: string) => /^(?:1|true)$/.test(at(labels, name)?.attribs.val ?? "0");
  return isOn("showVal") && !isOn("showPercent") ? ownFormat(at(labels, "numFmt")) : "";
}

function seriesOf(series: TreeElement, axes: Axes): Series {
  const name = inLine(words(at(series, "tx")));
  const values = points(
    at(series, "val") ?? at(series, "yVal"),
    labelFormat(at(series, "dLbls")) || axes.format,
    axes.scale,
  );
  const given = points(at(series, "cat") ?? at(series, "xVal"), "");
  const sizes = points(at(series, "bubbleSize"), "");
  const indexes = inOrder(given, values);
  return {
    name: axes.value === "" || name.includes(axes.value) ? name : name === "" ? axes.value : `${name} (${axes.value})`,
    across: axes.category,
    categories: indexes.map((i) => given.get(i) ?? String(i + 1)),
    values: indexes.map((i) => [values.get(i) ?? "", sizes.get(i) ?? ""].filter(Boolean).join(", ")),
  };
}

/** Returns the cached points of a series by their indexes. Categories of several levels are joined. */
function points(source: TreeElement | undefined, format: string, scale = 1): Map<number, string> {
  const levels = descendants(source, "lvl");
  if (levels.length > 0) return levels.map(pointsOfLevel).reduceRight(under);
  const [cache] = childrenOf(source).flatMap(cachesIn);
  if (!cache || cache.name.startsWith("str")) return pointsOfLevel(cache);
  const shown = showing(format || textOf(at(cache, "formatCode")), scale);
  const found = childrenOf(cache, "pt").map((point): [number, string] => {
    const { idx, formatCode } = point.attribs;
    const value = inLine(textOf(at(point, "v")));
    return [Number(idx), formatCode && !format ? showing(formatCode, scale)(value) : shown(value)];
  });
  return new Map(found);
}

/** Joins the labels of two levels. A label of the outer one stands at the first of its points. */
function under(outer: ReadonlyMap<number, string>, inner: ReadonlyMap<number, string>): Map<number, string> {
  const starts = [...outer].sort(([a], [b]) => b - a);
  let label = "";
  return new Map(
    [...inner]
      .sort(([a], [b]) => a - b)
      .map(([i, text]) => {
        while ((starts.at(-1)?.[0] ?? Number.POSITIVE_INFINITY) <= i) label = starts.pop()?.[1] ?? "";
        return [i, [label, text].filter(Boolean).join(" ")];
      }),
  );
}

/** The numbers or texts below a source, such as a reference to cells. */
const cachesIn = (source: TreeElement): TreeElement[] =>
  /^(?:num|str)(?:Cache|Lit)$/.test(source.name)
    ? [source]
    : childrenOf(source).filter(({ name }) => name.endsWith("Cache"));

function showing(format: string, scale = 1): (value: string) => string {
  const shown = numberFormat(format || "General");
  return (value) => (value === "" || Number.isNaN(Number(value)) ? value : shown(Number(value) / scale));
}

/** Reads the data of the newer kinds of charts, such as waterfalls and funnels. */
const newer = (data: TreeElement | undefined): Series[] =>
  childrenOf(data, "data").map((one) => {
    const levels = descendants(at(one, "strDim"), "lvl").map(pointsOfLevel);
    const [numbers] = descendants(at(one, "numDim"), "lvl");
    const values = pointsOfLevel(numbers);
    const shown = showing(numbers?.attribs.formatCode ?? "");
    const names = levels.length > 0 ? levels.reduceRight(under) : new Map<number, string>();
    const indexes = inOrder(names, values);
    return {
      name: "",
      across: "",
      categories: indexes.map((i) => names.get(i) ?? ""),
      values: indexes.map((i) => shown(values.get(i) ?? "")),
    };
  });

const inOrder = (...maps: readonly ReadonlyMap<number, string>[]): number[] =>
  [...new Set(maps.flatMap((map) => [...map.keys()]))].sort((a, b) => a - b);

const pointsOfLevel = (level: TreeElement | undefined) =>
  new Map(childrenOf(level, "pt").map((point) => [Number(point.attribs.idx), inLine(textOf(point))]));

/** Returns the words of a title or a name, typed or taken from a cell. */
function words(element: TreeElement | undefined): string {
  const paragraphs = descendants(at(element, "tx") ?? element, "p");
  if (paragraphs.length > 0) return paragraphs.map((one) => descendants(one, "t").map(textOf).join("")).join(" ");
  return descendants(element, "v").map(textOf).join(" ");
}
