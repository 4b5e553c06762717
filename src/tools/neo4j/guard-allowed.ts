/**
 * The operations that a query written by a model may use on Neo4j 5.26. Everything else is refused, also what a later version adds.
 * Operators are named as in query plans, without the part in brackets. Functions are in lower case, because Cypher
 * ignores their case. Names of procedures are exact.
 */
export const OPERATORS: ReadonlySet<string> = names(`
  ProduceResults Projection Filter Distinct OrderedDistinct Limit ExhaustiveLimit Skip Sort PartialSort Top PartialTop
  EagerAggregation OrderedAggregation Eager Optional Argument Input Unwind PartitionedUnwind CacheProperties
  RemoteBatchProperties RemoteBatchPropertiesWithFilter NullifyMetadata PreserveOrder EmptyResult EmptyRow NonFuseable
  NonPipelined NonPipelinedStreaming ArgumentTracker
  Apply SemiApply AntiSemiApply LetSemiApply LetAntiSemiApply SelectOrSemiApply SelectOrAntiSemiApply
  LetSelectOrSemiApply LetSelectOrAntiSemiApply ConditionalApply AntiConditionalApply RollUpApply Anti
  CartesianProduct NodeHashJoin ValueHashJoin NodeLeftOuterHashJoin NodeRightOuterHashJoin Union OrderedUnion
  AssertSameNode AssertSameRelationship TriadicSelection TriadicBuild TriadicFilter ProjectEndpoints
  Expand OptionalExpand VarLengthExpand BFSPruningVarLengthExpand PathPropagatingBFS Repeat BidirectionalRepeat
  RepeatOptions ShortestPath StatefulShortestPath
  NodeCountFromCountStore RelationshipCountFromCountStore
  AllNodesScan NodeByLabelScan UnionNodeByLabelsScan IntersectionNodeByLabelsScan SubtractionNodeByLabelsScan
  DynamicLabelNodeLookup NodeByIdSeek NodeByElementIdSeek
  NodeIndexSeek NodeUniqueIndexSeek NodeIndexSeekByRange NodeUniqueIndexSeekByRange NodeIndexScan
  NodeIndexContainsScan NodeIndexEndsWithScan MultiNodeIndexSeek AssertingMultiNodeIndexSeek
  ${bothWays(`AllRelationshipsScan RelationshipTypeScan UnionRelationshipTypesScan RelationshipIdSeek RelationshipByIdSeek
  RelationshipByElementIdSeek RelationshipIndexSeek RelationshipUniqueIndexSeek RelationshipIndexSeekByRange
  RelationshipUniqueIndexSeekByRange RelationshipIndexScan RelationshipIndexContainsScan RelationshipIndexEndsWithScan`)}
  MultiRelationshipIndexSeek AssertingMultiRelationshipIndexSeek ProcedureCall
`);

/** Procedures that return only what is in this graph. */
export const PROCEDURES: ReadonlySet<string> = names(`
  db.labels db.relationshipTypes db.propertyKeys
  db.index.fulltext.queryNodes db.index.fulltext.queryRelationships
  db.index.vector.queryNodes db.index.vector.queryRelationships
`);

/**
 * All of Cypher's own functions but file() and linenumber(), which read file names, graph.*, which leaves the database,
 * and reduce(), which can double a value in every round.
 */
export const FUNCTIONS: ReadonlySet<string> = names(`
  abs ceil floor isnan rand round sign e exp log log10 sqrt
  acos asin atan atan2 cos cot degrees haversin pi radians sin tan
  all any exists isempty none single
  avg collect count max min percentilecont percentiledisc stdev stdevp sum
  btrim left lower ltrim normalize replace reverse right rtrim split substring tolower tostring tostringornull toupper
  trim upper char_length character_length
  coalesce elementid endnode head id last length nullif properties randomuuid size startnode timestamp toboolean
  tobooleanornull tofloat tofloatornull tointeger tointegerornull type valuetype
  keys labels nodes range relationships tail tobooleanlist tofloatlist tointegerlist tostringlist
  date date.realtime date.statement date.transaction date.truncate
  datetime datetime.fromepoch datetime.fromepochmillis datetime.realtime datetime.statement datetime.transaction
  datetime.truncate
  localdatetime localdatetime.realtime localdatetime.statement localdatetime.transaction localdatetime.truncate
  localtime localtime.realtime localtime.statement localtime.transaction localtime.truncate
  time time.realtime time.statement time.transaction time.truncate
  duration duration.between duration.indays duration.inmonths duration.inseconds
  point point.distance point.withinbbox
  vector.similarity.cosine vector.similarity.euclidean
  shortestpath allshortestpaths
`);

/** Keywords that a bracket may follow. */
export const BEFORE_BRACKETS: ReadonlySet<string> = names(`
  MATCH WHERE WITH RETURN DISTINCT UNWIND CALL AND OR XOR NOT IN CONTAINS CASE WHEN THEN ELSE BY SKIP OFFSET LIMIT
  SHORTEST PATH PATHS GROUP GROUPS FROM
`);

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter(Boolean));
}

function bothWays(scans: string): string {
  return [...names(scans)].map((scan) => `Directed${scan} Undirected${scan}`).join(" ");
}
