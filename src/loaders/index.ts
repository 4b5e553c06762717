import "../node-version.js";

export type { Reader } from "../types/reader.js";
export { type ConfluenceOptions, confluence } from "./confluence.js";
export { type DriveOptions, drive } from "./drive.js";
export { type GitOptions, git } from "./git.js";
export { type GithubOptions, github } from "./github.js";
export { type GitlabOptions, gitlab } from "./gitlab.js";
export { type ImapOptions, imap } from "./imap.js";
export { type NotionOptions, notion } from "./notion.js";
export type { Connector, Content, Listed } from "./port.js";
export { type RssOptions, rss } from "./rss.js";
export { type S3Options, s3 } from "./s3.js";
export { type SharePointOptions, sharepoint } from "./sharepoint.js";
export { type SlackExportOptions, slackExport } from "./slack-export.js";
export { type SqlOptions, sql } from "./sql.js";
