/** Movies in English and Chinese, with properties on nodes and on relations. */
export const MOVIES = `
CREATE (matrix:Movie {title: 'The Matrix', released: 1999, tagline: 'Welcome to the Real World'})
CREATE (reloaded:Movie {title: 'The Matrix Reloaded', released: 2003})
CREATE (hero:Movie {title: '英雄', released: 2002, genre: '武侠'})
CREATE (lanterns:Movie {title: '大红灯笼高高挂', released: 1991, genre: '剧情'})
CREATE (it:Movie {title: 'It', released: 2017})
CREATE (keanu:Person {name: 'Keanu Reeves', born: 1964})
CREATE (lana:Person {name: 'Lana Wachowski', born: 1965})
CREATE (zhang:Person {name: '张艺谋', born: date('1950-04-02'), names: ['Zhang Yimou']})
CREATE (gong:Person {name: '巩俐', born: 1965})
CREATE (penelope:Person {name: 'Penélope Cruz', born: 1974})
CREATE (keanu)-[:ACTED_IN {roles: ['Neo']}]->(matrix), (keanu)-[:ACTED_IN {roles: ['Neo']}]->(reloaded)
CREATE (lana)-[:DIRECTED]->(matrix), (lana)-[:DIRECTED]->(reloaded)
CREATE (zhang)-[:DIRECTED]->(hero), (zhang)-[:DIRECTED]->(lanterns)
CREATE (gong)-[:ACTED_IN {roles: ['颂莲']}]->(lanterns)`;

/** A shop imported from tables: names in various properties, foreign keys, and nodes without a name. */
export const SHOP = `
CREATE (chai:Product {productID: '1', productName: 'Chai', unitPrice: 18.0, categoryID: '1', embedding: [x IN range(1, 200) | x * 0.1]})
CREATE (tofu:Product {productID: '14', productName: '豆腐', unitPrice: 23.25, categoryID: '7'})
CREATE (drinks:Category {categoryID: '1', categoryName: 'Beverages', description: 'Soft drinks'})
CREATE (alfred:Customer {customerID: 'ALFKI', companyName: 'Alfreds Futterkiste', contactName: 'Maria Anders', contactTitle: 'Owner'})
CREATE (order:Order {orderID: '10248', shipName: 'Alfreds Futterkiste', shipCity: 'Berlin'})
CREATE (nancy:Employee {employeeID: '1', firstName: 'Nancy', lastName: 'Davolio', title: 'Sales Representative'})
CREATE (li:Employee {employeeID: '2', firstName: '雷', lastName: '李', title: '采购部经理'})
CREATE (east:Region {regionID: '1', regionDescription: 'Eastern'})
CREATE (chai)-[:PART_OF]->(drinks), (alfred)-[:PURCHASED]->(order), (nancy)-[:SOLD]->(order)
CREATE (order)-[:ORDERS {quantity: 12, discount: 0.05}]->(chai), (nancy)-[:REPORTS_TO]->(li), (nancy)-[:WORKS_IN]->(east)`;
