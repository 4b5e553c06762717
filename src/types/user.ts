import type { Filter } from "./filter.js";

/**
 * What one caller may see: the conditions that documents have to meet, or "all". An empty list matches nothing, and so
 * does a list with a condition that has no values.
 */
export type Scope = Filter | "all";

/** Somebody who may ask, as a program or a LangGraph server authenticated them. */
export interface User {
  /** Names the user; not blank. Conversations and limits belong to it. */
  identity: string;
  /** What the user may see. */
  emend_scope: Scope;
  /** True for somebody who may add and delete documents by uploads, within the scope. Default: false. */
  emend_may_upload?: boolean | undefined;
  /** True for an operator, who may see how everybody's questions were answered. Default: false. */
  emend_is_operator?: boolean | undefined;
  /** The name that the page shows. Default: none. */
  display_name?: string | undefined;
}
