import { loadSettings } from "../config.js";
import { openTools } from "../open.js";
import { createGraph } from "./build.js";

/** The graph that LangGraph Studio and a LangGraph server open, over the tools that the environment names. */
export const graph = createGraph(openTools(loadSettings()));
