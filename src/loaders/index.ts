export type { Connector, Content, Listed, Reader } from "./port.js";
