import { type Item, listed } from "./content.js";

/** What a diagram says. */
export interface Diagram {
  shapes: readonly Shape[];
  connections: Connection[];
}

export interface Shape {
  id: string;
  /** The id of the shape around it, or any other id. */
  parent: string;
  label: string;
}

export interface Connection {
  /** Ids of shapes; an end that is attached to none has another id. */
  from: string;
  to: string;
  label: string;
  isForward: boolean;
  isBackward: boolean;
}

/**
 * Writes a diagram in words: the labels of its shapes as a list, those inside a shape below it, then a line for each
 * connection, such as "Gateway → Ledger: every 10 minutes".
 */
export function inWords({ shapes, connections }: Diagram): string {
  const labels = new Map(shapes.map(({ id, label }) => [id, label]));
  const inside = Map.groupBy(shapes, ({ parent, id }) => (labels.has(parent) && parent !== id ? parent : ""));
  const items: Item[] = [];
  const seen = new Set<string>();
  const add = (parent: string, depth: number) => {
    for (const { id, label } of inside.get(parent) ?? []) {
      if (seen.has(id)) continue;
      seen.add(id);
      items.push({ words: label, depth });
      if (depth < DEEPEST) add(id, depth + 1);
    }
  };
  add("", 0);
  // Shapes that are inside each other have no outermost one.
  for (const { id, label } of shapes) if (!seen.has(id)) items.push({ words: label, depth: 0 });
  const lines = connections.flatMap(({ from, to, label, isForward, isBackward }) => {
    const [start = "", end = ""] = [labels.get(from), labels.get(to)];
    if (start === "" && end === "" && label === "") return [];
    const isTurned = isBackward && !isForward;
    const arrow = isForward && isBackward ? "↔" : isForward || isTurned ? "→" : "—";
    const ends = (isTurned ? [end, start] : [start, end]).map((name) => name || "?");
    if (start === "" && end === "") return [`- ${label}`];
    return [`- ${ends.join(` ${arrow} `)}${label === "" ? "" : `: ${label}`}`];
  });
  return [listed(items), lines.join("\n")].filter(Boolean).join("\n\n");
}

const DEEPEST = 8;
