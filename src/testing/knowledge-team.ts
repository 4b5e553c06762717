import assert from "node:assert/strict";
import type { Entity, Fact, KnowledgeGraph, Triple, TripleSource } from "../tools/knowledge/port.js";

export const entity = (name: string, type = "", aliases: readonly string[] = []): Entity => ({ name, type, aliases });

export const triple = (subject: Entity | string, predicate: string, object: Entity | string, quote = ""): Triple => ({
  subject: typeof subject === "string" ? entity(subject, "Thing") : subject,
  predicate,
  object: typeof object === "string" ? entity(object) : object,
  quote,
});

/** A source with every field filled in. */
export const sourceOf = (id: string): TripleSource => ({
  id,
  documentId: id.split("#")[0] ?? id,
  title: `Title of ${id}`,
  uri: `docs/${id}`,
  section: "People › 人员",
  reviewedAt: "2026-01-31",
  hash: `hash of ${id}`,
});

const ann = entity("Ann Lee", "Person", ["李安"]);
const ben = entity("Ben Okafor", "Person");
const zoe = entity("Zoë Müller", "Person");
const berlin = entity("Berlin", "City");
const team = entity("Platform Team", "Team");
const hub = entity("数据平台", "系统", ["Data Hub"]);
const wang = entity("王小明", "人");
const cluster = entity("Kubernetes 集群", "System", ["Kubernetes cluster"]);

/** A small team, half in English and half in Chinese. */
export const TEAM: readonly { source: TripleSource; triples: readonly Triple[] }[] = [
  {
    source: sourceOf("people.md#0"),
    triples: [
      triple(ann, "reports to", ben, "Ann Lee (李安) reports to Ben Okafor."),
      triple(ann, "works in", berlin),
      triple(ann, "started on", "2021-03-01"),
      triple(zoe, "works in", berlin),
      triple(ben, "heads", team, "Ben Okafor heads the Platform Team."),
    ],
  },
  {
    source: sourceOf("systems.md#0"),
    triples: [
      triple(hub, "负责人", wang, "数据平台的负责人是王小明。"),
      triple(hub, "年度预算", "1,200,000 元"),
      triple(wang, "所在地", entity("上海", "城市")),
      triple(entity("Room 101", "Room"), "reserved for", team),
    ],
  },
  { source: sourceOf("cluster.md#0"), triples: [triple(cluster, "maintained by", team)] },
  { source: sourceOf("handbook.md#0"), triples: [triple(entity("Handbook", "Document"), "written by", ann)] },
];

/** A fact as one line. */
export const says = (fact: Fact | undefined): string => {
  if (!fact) return "nothing";
  const { entity, predicate, direction, others } = fact;
  const relation = direction === "out" ? `-${predicate}->` : `<-${predicate}-`;
  return `${entity} ${relation} ${others.toSorted().join(", ")}`;
};

export const byId = <T extends { id: string }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** Fails unless a list has this item. */
export const includes = (list: readonly string[], item: string) =>
  assert.ok(list.includes(item), `${JSON.stringify(item)} is missing in ${JSON.stringify(list.slice(0, 20))}`);

/** Opens the same graph each time: what one instance writes, the others read. */
export type OpenKnowledge = () => KnowledgeGraph;

/** An empty graph, with a first instance of it. */
export interface EmptyGraph {
  open: OpenKnowledge;
  graph: KnowledgeGraph;
  /** Stores triples as those of one source. */
  store(sourceId: string, ...triples: Triple[]): Promise<void>;
  /** Looks up facts, and returns each as one line. */
  said(entities: readonly string[], question?: string): Promise<string[]>;
}

export const A = triple(entity("International Widgets", "Company", ["IW"]), "based in", "Oslo");
export const B = triple(entity("IW", "Company"), "makes", "widgets");
export const C = triple(entity("国际零件公司", "Company", ["IW"]), "founded in", "1950");
export const TOLD = ["based in Oslo", "founded in 1950", "makes widgets"];

/** Which of the three statements are found by a name. */
export const tells = async ({ graph }: EmptyGraph, named: string) =>
  (await graph.facts([named], ""))
    .map(({ predicate, others }) => `${predicate} ${others}`)
    .filter((text) => TOLD.includes(text))
    .toSorted();

export const isOneEntity = (...calls: Triple[][]) =>
  async function isOne(empty: EmptyGraph) {
    for (const [i, triples] of calls.entries()) await empty.store(`source ${i}`, ...triples);
    for (const named of ["International Widgets", "IW", "国际零件公司", "International Widgts"])
      assert.deepEqual(await tells(empty, named), TOLD, named);
  };
