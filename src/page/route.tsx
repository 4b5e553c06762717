import { reasonInWords } from "../answer/messages/index.js";
import { faultInWords } from "../answer/messages/terms.js";
import type { Drawing } from "./server.js";
import type { PageTurn } from "./turn.js";
import { took, useWords } from "./words.js";

interface Props {
  turn: PageTurn | undefined;
  drawing: Drawing | undefined;
}

/** The route of a turn through the graph: drawn, and as a list of the steps with their reasons and what they took. */
export function RouteView({ turn, drawing }: Props) {
  const words = useWords();
  const decisions = turn?.decisions ?? [];
  const now = turn?.isRunning ? (decisions.at(-1)?.to ?? "understand") : "";
  const edges = decisions.map(({ step, to }) => `${step} ${to}`);
  return (
    <div class="route">
      {drawing && <Drawn drawing={drawing} taken={new Set(edges)} now={now} />}
      <p class="sum">{took(decisions, words)}</p>
      <ol>
        {decisions.map(({ step, to, reason, calls, tokens, milliseconds, faults }, i) => (
          <li key={i}>
            <strong>{words.steps[step] ?? step}</strong>{" "}
            <span class="hint">{[...words.used(calls, tokens), `${Math.round(milliseconds)} ms`].join(" · ")}</span>
            <p>{reasonInWords({ reason, to }, words.language)}</p>
            {faults.map(faultInWords).map((fault, i) => (
              <p key={i} class="fault">
                {fault}
              </p>
            ))}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Hidden from screen readers: the list below says the same. */
function Drawn({
  drawing: { nodes, edges },
  taken,
  now,
}: {
  drawing: Drawing;
  taken: ReadonlySet<string>;
  now: string;
}) {
  const words = useWords();
  const steps = nodes.filter((node) => node in PLACES);
  const visited = new Set([...taken].flatMap((edge) => edge.split(" ")));
  const drawn = edges.filter(({ source, target }) => source in PLACES && target in PLACES);
  const isTaken = ({ source, target }: Drawing["edges"][number]) => taken.has(`${source} ${target}`);
  return (
    <svg viewBox={`0 0 ${3 * WIDE} ${6 * HIGH}`} aria-hidden="true">
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto">
          <path d="M0 0 8 4 0 8z" />
        </marker>
      </defs>
      {drawn
        .toSorted((a, b) => Number(isTaken(a)) - Number(isTaken(b)))
        .map((edge) => (
          <path key={`${edge.source} ${edge.target}`} class={isTaken(edge) ? "edge taken" : "edge"} d={path(edge)} />
        ))}
      {steps.map((step) => {
        const [x, y] = centre(step);
        const look = step === now ? "node now" : visited.has(step) ? "node taken" : "node";
        return (
          <g key={step} class={look}>
            <rect x={x - BOX_WIDE / 2} y={y - BOX_HIGH / 2} width={BOX_WIDE} height={BOX_HIGH} rx="6" />
            <text x={x} y={y}>
              {words.steps[step] ?? step}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

const WIDE = 134;
const HIGH = 56;
const BOX_WIDE = 100;
const BOX_HIGH = 28;

/** Column and row of each step: the usual route runs down the middle. */
const PLACES: Readonly<Record<string, readonly [number, number]>> = {
  understand: [1, 0],
  retrieve: [1, 1],
  grade: [1, 2],
  generate: [1, 3],
  checkAnswer: [1, 4],
  respond: [1, 5],
  clarify: [0, 1],
  rewriteQuery: [0, 2],
  queryGraph: [0, 3],
  queryTables: [0, 4],
  readPages: [2, 2],
  searchWeb: [2, 3],
};

function centre(step: string): readonly [number, number] {
  const [column, row] = PLACES[step] ?? [0, 0];
  return [(column + 0.5) * WIDE, (row + 0.5) * HIGH];
}

/**
 * The path of an edge: straight to the box below, otherwise around the boxes between. Edges leave a box below where
 * others enter it.
 */
function path({ source, target }: Drawing["edges"][number]): string {
  const [[x1, y1], [x2, y2]] = [centre(source), centre(target)];
  if (x1 === x2 && y2 - y1 === HIGH) return `M${x1} ${y1 + BOX_HIGH / 2} V${y2 - BOX_HIGH / 2 - 2}`;
  const [from, to] = [y1 + BESIDE, y2 - BESIDE];
  if (x1 === x2) {
    const side = y2 > y1 ? 1 : -1;
    const edge = x1 + (side * BOX_WIDE) / 2;
    const bow = edge + side * (10 + Math.abs(y2 - y1) / 14);
    return `M${edge} ${from} C${bow} ${from} ${bow} ${to} ${edge + side * 2} ${to}`;
  }
  const side = x2 > x1 ? 1 : -1;
  const [start, end] = [x1 + (side * BOX_WIDE) / 2, x2 - side * (BOX_WIDE / 2 + 2)];
  return `M${start} ${from} C${start + side * 18} ${from} ${end - side * 18} ${to} ${end} ${to}`;
}

const BESIDE = 6;
