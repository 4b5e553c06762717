import { loadSettings } from "../config.js";
import { openTools } from "../open.js";
import { createGraph } from "./build.js";

/** The parts that the environment names. What else such a server mounts shares them. */
export const tools = openTools(loadSettings());

/** The graph that LangGraph Studio and a LangGraph server open. */
export const graph = createGraph(tools);
