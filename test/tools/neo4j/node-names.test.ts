import { describe, expect, test } from "vitest";
import { displayName, isNameKey, namesOf } from "../../../src/tools/neo4j/name-index.js";

describe("the name of a node", () => {
  test.each([
    [["Person"], { name: "Keanu Reeves", born: 1964 }, "Keanu Reeves"],
    [["Movie"], { title: "The Matrix", tagline: "Free your mind" }, "The Matrix"],
    [["Product"], { productID: "1", productName: "Chai", quantityPerUnit: "10 boxes" }, "Chai"],
    [["Customer"], { customerID: "ALFKI", contactName: "Maria Anders", companyName: "Alfreds" }, "Alfreds"],
    [["Employee"], { title: "Sales Representative", firstName: "Nancy", lastName: "Davolio" }, "Nancy Davolio"],
    [["Order"], { orderID: "10248", shipName: "Vins et alcools", customerID: "VINET" }, "Order 10248"],
    [["Region"], { regionID: "1", regionDescription: "Eastern" }, "Eastern"],
    [["城市"], { 名称: "苏州", 人口: 1 }, "苏州"],
    [["部门"], { 部门名称: "采购部", 编号: "D1" }, "采购部"],
    [["Person"], { name: "", names: ["Ann", "安"] }, "Ann"],
    [["Movie"], { id: 603, released: 1999 }, "Movie 603"],
    [["Thing"], { colour: "red" }, "Thing"],
    [[], {}, ""],
  ])("with the label %j and the properties %j is %j", (labels, properties, name) => {
    expect(displayName({ labels, properties })).toBe(name);
  });

  test("can also be its number, with or without its label, or its first and last name in the order of the language", () => {
    const names = (labels: string[], properties: Record<string, string>) =>
      namesOf({ labels, properties }).map(({ name }) => name);
    expect(names(["Order"], { orderID: "10248" })).toEqual(["10248", "Order 10248"]);
    expect(names(["Employee"], { firstName: "雷", lastName: "李" })).toEqual(["李雷"]);
    expect(names(["Employee"], { firstName: "Nancy", lastName: "Davolio" })).toEqual(["Nancy Davolio"]);
  });

  test("is either certainly its own or possibly that of a related thing", () => {
    const names = namesOf({
      labels: ["Customer"],
      properties: { companyName: "Alfreds", contactName: "Maria Anders" },
    });
    expect(names).toEqual([
      { name: "Alfreds", isSure: true },
      { name: "Maria Anders", isSure: false },
    ]);
  });

  test.each([
    ["name", true],
    ["shipName", true],
    ["orderID", true],
    ["名称", true],
    ["born", false],
    ["tagline", false],
    ["filename_hash", false],
    ["unitPrice", false],
  ])("may be in the property %j of an Order: %j", (key, may) => {
    expect(isNameKey(key, ["Order"])).toBe(may);
  });
});
