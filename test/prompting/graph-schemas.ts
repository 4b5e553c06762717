import type { GraphSchema } from "../../src/tools/knowledge/port.js";

const text = (name: string) => ({ name, type: "String" });
const number = (name: string) => ({ name, type: "Long" });

export const MOVIES: GraphSchema = {
  nodes: [
    { label: "Movie", properties: [number("released"), text("tagline"), text("title")] },
    { label: "Person", properties: [number("born"), text("name")] },
  ],
  relations: [
    { type: "ACTED_IN", from: "Person", to: "Movie", properties: [{ name: "roles", type: "StringArray" }] },
    { type: "DIRECTED", from: "Person", to: "Movie", properties: [] },
    { type: "FOLLOWS", from: "Person", to: "Person", properties: [] },
    { type: "WROTE", from: "Person", to: "Movie", properties: [] },
  ],
};

export const TEAM: GraphSchema = {
  nodes: [
    { label: "员工", properties: [text("姓名")] },
    { label: "部门", properties: [text("名称"), { ...text("状态"), values: ["在用", "撤销"] }] },
  ],
  relations: [{ type: "隶属 于", from: "员工", to: "部门", properties: [] }],
};
