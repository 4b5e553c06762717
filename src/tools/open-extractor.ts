import type { Settings } from "../config.js";
import { localExtractor } from "./reasoner/local/extractor.js";
import { modelExtractor } from "./reasoner/model/extractor.js";
import { openChat } from "./reasoner/model/open-chat.js";
import type { Ontology, TripleExtractor } from "./reasoner/port.js";

/** What reads triples out of passages: the model that the settings name, or without one the local form. */
export const openExtractor = ({ model }: Pick<Settings, "model">, ontology?: Ontology): TripleExtractor =>
  model ? modelExtractor(openChat(model), ontology) : localExtractor();
