import "../node-version.js";

export { type ConfluenceOptions, confluence } from "./confluence.js";
export { type GitOptions, git } from "./git.js";
export { type GithubOptions, github } from "./github.js";
export { type GitlabOptions, gitlab } from "./gitlab.js";
export { type NotionOptions, notion } from "./notion.js";
export type { Connector, Content, Listed, Reader } from "./port.js";
