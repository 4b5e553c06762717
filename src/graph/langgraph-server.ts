import { loadSettings } from "../config.js";
import { openTools } from "../open.js";
import { createGraph } from "./build.js";

/** The tools that the environment sets up, shared with everything else that the server mounts. */
export const tools = openTools(loadSettings());

/** The graph that LangGraph Studio and a LangGraph server open. */
export const graph = createGraph(tools);
