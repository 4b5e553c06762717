import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { BadDataError } from "../../research/eval/data.js";
import { cypherScript, northwind } from "../../research/eval/sets/neo4j.js";

const folder = mkdtempSync(join(tmpdir(), "emend-neo4j-set-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TABLES: Record<string, string> = {
  "categories.csv": 'categoryID,categoryName,description,picture\n1,Drinks,"Tea, and more",0x15\n',
  "customers.csv": "customerID,companyName,region\nALFKI,Alfreds,NULL\n",
  "employees.csv": "employeeID,lastName,hireDate,reportsTo\n1,Davolio,1992-05-01 00:00:00.000,2\n2,Fuller,NULL,NULL\n",
  "employee-territories.csv": "employeeID,territoryID\n1,06897\n",
  "orders.csv":
    "orderID,customerID,employeeID,shipVia,freight,shipAddress,shipCity\n7,ALFKI,1,3,32.38,Rua do Paço, 67,Rio\n",
  "order-details.csv": "orderID,productID,unitPrice,quantity,discount\n7,5,14.00,12,0.05\n",
  "products.csv": "productID,productName,supplierID,categoryID,unitPrice,discontinued\n5,Chai,1,1,18.00,1\n",
  "regions.csv": "regionID,regionDescription\n1,Eastern\n",
  "shippers.csv": "shipperID,companyName\n3,Speedy\n",
  "suppliers.csv": "supplierID,companyName,city\n1,Pavlova, Ltd.,Melbourne\n",
  "territories.csv": "territoryID,territoryDescription,regionID\n06897,Wilton ,1\n",
};

function write(tables: Record<string, string> = {}): string {
  for (const [name, text] of Object.entries({ ...TABLES, ...tables })) writeFileSync(join(folder, name), text);
  return folder;
}

const rowsOf = (find: string) =>
  northwind(write())
    .flat()
    .filter(({ cypher }) => cypher.includes(find))
    .flatMap(({ parameters }) => parameters?.rows);

test("Northwind tables become nodes with typed properties, even if values contain unquoted commas", () => {
  expect(rowsOf("CREATE (n:Supplier)")).toEqual([{ supplierID: 1, companyName: "Pavlova, Ltd.", city: "Melbourne" }]);
  expect(rowsOf("CREATE (n:Order)")).toMatchObject([
    { freight: 32.38, shipAddress: "Rua do Paço, 67", shipCity: "Rio" },
  ]);
  expect(rowsOf("CREATE (n:Category)")).toEqual([
    { categoryID: 1, categoryName: "Drinks", description: "Tea, and more" },
  ]);
  expect(rowsOf("CREATE (n:Product)")).toMatchObject([{ unitPrice: 18, discontinued: true }]);
  expect(rowsOf("CREATE (n:Customer)")).toEqual([{ customerID: "ALFKI", companyName: "Alfreds" }]);
  expect(rowsOf("CREATE (n:Territory)")).toMatchObject([{ territoryID: "06897", territoryDescription: "Wilton" }]);
});

test("foreign keys of Northwind tables become relations with properties", () => {
  expect(rowsOf("[r:REPORTS_TO]")).toEqual([{ from: 1, to: 2, own: {} }]);
  expect(rowsOf("[r:CONTAINS]")).toEqual([{ from: 7, to: 5, own: { unitPrice: 14, quantity: 12, discount: 0.05 } }]);
  expect(rowsOf("[r:SHIPPED_BY]")).toEqual([{ from: 7, to: 3, own: {} }]);
});

test("a row that cannot be repaired is reported by its table and number", () => {
  const broken = () => northwind(write({ "regions.csv": "regionID,regionDescription\n1,a,b\n" }));
  expect(broken).toThrow(BadDataError);
  expect(broken).toThrow(/regions\.csv: row 1 has 3 fields for 2 columns/);
  expect(() => northwind(join(folder, "nowhere"))).toThrow(/cannot be read/);
});

test("a Cypher script is split at semicolons that end a line", () => {
  const path = join(folder, "graph.cypher");
  writeFileSync(path, "CREATE (a {x: 'one; two'})\nCREATE (b);\r\n\nMATCH (n) RETURN n;\n");
  expect(cypherScript(path).map(([statement]) => statement?.cypher)).toEqual([
    "CREATE (a {x: 'one; two'})\nCREATE (b)",
    "\nMATCH (n) RETURN n",
  ]);
});
