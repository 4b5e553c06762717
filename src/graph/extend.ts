import { z } from "zod";
import { UsageError } from "../errors.js";
import { aFunction, exactly, type OptionsOf, part, unless } from "../options.js";
import type { Context } from "../state/context.js";
import type { Node, Run } from "../state/node.js";
import type { Fields, NoFields, StateWith } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import type { Reason } from "../types/events.js";
import { meets } from "../types/filter.js";
import type { Route, Rung } from "./routes.js";

/**
 * A node: a function of the tools, which find only what the caller of a run may see, and then of the state and the run.
 * It returns the fields that change. An error that it throws is logged as a fault, and the run goes on with the state
 * unchanged.
 */
export type NodeOf<Own extends Fields = NoFields> = (
  tools: Tools,
) => (state: StateWith<Own>, run: Run) => Promise<Partial<StateWith<Own>>> | Partial<StateWith<Own>>;

/** The edges after a node. */
export interface Edges<Own extends Fields = NoFields> {
  /** Pure: it is asked twice, for the log and for the edge. */
  router: (state: StateWith<Own>, context: Context) => Route<string>;
  /** Every node that the router may name, or "END", with the label of its edge in the drawn graph. */
  labels: Readonly<Record<string, string>>;
}

/** A source of your own. Its node adds to the evidence, which is graded next. */
export interface Source<Own extends Fields = NoFields> extends Omit<Rung, "to" | "helps"> {
  node: NodeOf<Own>;
  helps?: (state: StateWith<Own>, context: Context) => boolean;
}

type Chain<Own extends Fields> = Readonly<Record<string, NodeOf<Own>>>;

/** What is added to the graph or replaced in it, each part by the name of its node. */
export interface Additions<Built extends string, Own extends Fields = NoFields> {
  /** Added fields of the state: zod schemas. Every question begins with their defaults. */
  state?: Own;
  /** Nodes in place of those of the same name, and new ones, which need `edges` to and from them. */
  nodes?: Chain<Own>;
  /** Nodes that run right before another one, whichever edge leads to it. */
  before?: { readonly [Name in Exclude<Built, "understand">]?: Chain<Own> };
  /** Nodes that run right after another one, before its router decides. */
  after?: { readonly [Name in Exclude<Built, "respond">]?: Chain<Own> };
  /** Sources that are asked while the evidence does not answer. */
  rungs?: Readonly<Record<string, Source<Own>>>;
  /** What comes after a node, instead of the usual edges: one node, or several with a router. */
  edges?: Readonly<Record<string, string | Edges<Own>>>;
}

const Chain = z.record(z.string(), aFunction);
const Chains = z.record(z.string(), Chain.optional());
const Text = z.string();

export const additionOptions = {
  state: z.record(Text, part<z.ZodType>("safeParse")),
  nodes: Chain,
  before: Chains,
  after: Chains,
  rungs: z.record(
    Text,
    exactly({
      node: aFunction,
      label: Text,
      before: Text.optional(),
      helps: aFunction.optional(),
    } satisfies OptionsOf<Source>),
  ),
  edges: z.record(
    Text,
    unless(
      (given) => typeof given === "string",
      exactly({ router: aFunction, labels: z.record(Text, Text) } satisfies OptionsOf<Edges>),
    ),
  ),
} satisfies OptionsOf<Additions<string>>;

/** The nodes of a graph in their usual order, and the edges after each. */
export interface Plan {
  nodes: Map<string, NodeOf>;
  edges: Map<string, Edges>;
}

/**
 * Returns a plan with the additions, without the given nodes that no edge leads to any more.
 * @param off nodes of sources that are off: edges to them are left out.
 * @throws UsageError for a name that is taken, a node that leads nowhere, and an edge to a node that is not there.
 */
export function extended(
  { nodes: given, edges: between }: Plan,
  { nodes = {}, before = {}, after = {}, rungs = {}, edges = {} }: Additions<string>,
  off: readonly string[],
): Plan {
  const all: Plan = { nodes: new Map(given), edges: new Map(between) };
  for (const [name, node] of Object.entries(nodes)) all.nodes.set(name, within(node));
  for (const [name, { node }] of Object.entries(rungs)) {
    add(name, node);
    all.edges.set(name, only("grade", { code: "grade_found" }));
  }
  for (const [from, next] of Object.entries(edges))
    all.edges.set(from, typeof next === "string" ? only(next, { code: "next_step" }) : next);
  for (const [name, chain] of Object.entries(after)) insert(name, chain, "after");
  for (const [name, chain] of Object.entries(before)) insert(name, chain, "before");
  for (const from of all.edges.keys())
    if (!all.nodes.has(from) && !off.includes(from))
      throw new UsageError(`There is no node "${from}" for an edge to start from.`);
  for (const name of all.nodes.keys()) all.edges.set(name, checked(name));
  const reached = reachable(all.edges);
  for (const name of given.keys()) if (!reached.has(name)) all.nodes.delete(name);
  return all;

  function add(name: string, node: NodeOf) {
    if (all.nodes.has(name) || off.includes(name))
      throw new UsageError(
        `There is a node "${name}" already. Give yours another name, or replace it under \`nodes\`.`,
      );
    all.nodes.set(name, within(node));
  }

  function insert(name: string, chain: Readonly<Record<string, NodeOf>> = {}, where: "before" | "after") {
    const names = Object.keys(chain);
    if (names.length === 0 || off.includes(name)) return;
    if (!all.nodes.has(name)) throw new UsageError(`There is no node "${name}" to put "${names[0]}" ${where}.`);
    const way = where === "after" ? [name, ...names] : [...names, name];
    const onward = all.edges.get(name);
    if (where === "before")
      for (const [from, edges] of all.edges) all.edges.set(from, redirected(edges, name, names[0] ?? name));
    for (const [added, node] of Object.entries(chain)) add(added, node);
    way.slice(1).forEach((next, i) => {
      all.edges.set(way[i] ?? name, only(next, { code: "next_step" }));
    });
    if (where === "after" && onward) all.edges.set(way.at(-1) ?? name, onward);
  }

  function checked(name: string): Edges {
    const { router, labels } = all.edges.get(name) ?? { labels: {} };
    const leads = Object.entries(labels).filter(([to]) => !off.includes(to));
    const missing = leads.find(([to]) => to !== "END" && !all.nodes.has(to));
    if (missing) throw new UsageError(`An edge leads from "${name}" to "${missing[0]}", which is no node.`);
    if (!router || leads.length === 0)
      throw new UsageError(`The node "${name}" leads nowhere. Say under \`edges\` what comes after it.`);
    if (new Set(leads.map(([, label]) => label)).size < leads.length)
      throw new UsageError(`Two edges of "${name}" have the same label. Give each one its own.`);
    return { router: known(name, router, leads), labels: Object.fromEntries(leads) };
  }
}

function reachable(edges: Plan["edges"]): Set<string> {
  const reached = new Set(["understand"]);
  // Iterating over a set also visits what is added meanwhile.
  for (const name of reached) for (const to of Object.keys(edges.get(name)?.labels ?? {})) reached.add(to);
  return reached;
}

const known =
  (from: string, router: Edges["router"], leads: readonly (readonly [string, string])[]): Edges["router"] =>
  (state, context) => {
    const route = router(state, context);
    if (!leads.some(([to]) => to === route.to))
      throw new UsageError(`The router of "${from}" chose "${route.to}", which its labels do not name.`);
    return route;
  };

/**
 * A single edge. The stop reason is set where the end of the run is chosen; nodes between there and the end pass it on.
 */
const only = (to: string, reason: Reason): Edges => ({
  router: ({ decisions }) => {
    const stop = decisions.at(-2)?.stop;
    return { to, reason, ...(stop && { stop }) };
  },
  labels: { [to]: "" },
});

const redirected = ({ router, labels }: Edges, from: string, to: string): Edges =>
  from in labels
    ? {
        router: (state, context) => {
          const route = router(state, context);
          return route.to === from ? { ...route, to } : route;
        },
        labels: Object.fromEntries(Object.entries(labels).map(([name, label]) => [name === from ? to : name, label])),
      }
    : { router, labels };

/** Applies the run's filter to the evidence that a node adds, as `restricted` does to what adapters find. */
const within =
  (node: NodeOf): NodeOf =>
  (tools) => {
    const bound: Node = node(tools);
    return async (state, run) => {
      const update = await bound(state, run);
      if (!update.evidence || run.filter.length === 0) return update;
      const had = new Set(state.evidence.map(({ id }) => id));
      const maySee = ({ id, source, metadata }: (typeof update.evidence)[number]) =>
        had.has(id) || source === "web" || meets(metadata, run.filter);
      return { ...update, evidence: update.evidence.filter(maySee) };
    };
  };
