import { writeFileSync } from "node:fs";
import ts from "typescript";

/**
 * Writes docs/api.md: every export of every entry point, with its declaration and the first sentence of its comment.
 * `npm run api`; a test compares the file with what this would write.
 */

const ENTRIES = {
  emend: "src/index.ts",
  "emend/graph": "src/graph/index.ts",
  "emend/loaders": "src/loaders/index.ts",
  "emend/serve": "src/server/app.ts",
  "emend/testing": "src/testing/index.ts",
};

export function apiReference(): string {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile("tsconfig.json", ts.sys.readFile).config,
    ts.sys,
    ".",
  );
  const program = ts.createProgram(Object.values(ENTRIES), options);
  const checker = program.getTypeChecker();
  const shown = new Set<ts.Symbol>();
  const parts = Object.entries(ENTRIES).map(([name, file]) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol;
    const exported = checker
      .getExportsOfModule(module)
      .map((symbol) => ({ name: symbol.name, symbol: resolved(symbol, checker) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const fresh = exported.filter(({ symbol }) => !shown.has(symbol));
    const others = exported.filter(({ symbol }) => shown.has(symbol)).map((one) => `\`${one.name}\``);
    for (const { symbol } of fresh) shown.add(symbol);
    const also = others.length > 0 ? `Also ${others.join(", ")}, as above.\n\n` : "";
    const entries = fresh.map((one) => entry(one.name, one.symbol, checker));
    return `## ${name}\n\n${also}\`\`\`ts\n${entries.join("\n\n")}\n\`\`\``;
  });
  return `${HEAD}\n\n${parts.join("\n\n")}\n`;
}

const HEAD = `# API reference

Written by \`npm run api\` from the types: each export, with the first sentence of its comment. The whole comments, with
units, ranges, defaults and errors, are in the types that the package contains. [Extending emend](extending.md) and
[LangChain](langchain.md) show how the parts are used.`;

const resolved = (symbol: ts.Symbol, checker: ts.TypeChecker) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

function entry(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): string {
  // A schema and the type inferred from it share a name.
  const code = (symbol.declarations ?? [])
    .filter((node) => !(ts.isTypeAliasDeclaration(node) && node.type.getText().startsWith("z.infer<")))
    .map((node) => declared(name, node, checker))
    .join("\n");
  const comment = firstSentence(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
  return [comment && `// ${comment}`, code].filter(Boolean).join("\n");
}

const firstSentence = (text: string) => /^.*?[.:](?=\s|$)|.*/.exec(text.replace(/\s+/g, " ").trim())?.[0] ?? "";

/** A declaration as it is written, without comments and the bodies of functions and classes. */
function declared(name: string, node: ts.Declaration, checker: ts.TypeChecker): string {
  const text = uncommented(node).replace(/^export (?:async )?/, "");
  const without = (body: ts.Node | undefined) => text.slice(0, -(body ? uncommented(body).length : 0)).trim();
  if (ts.isClassDeclaration(node)) return `class ${name} ${node.heritageClauses?.map((one) => one.getText()) ?? ""}`;
  if (ts.isFunctionDeclaration(node)) return without(node.body);
  if (!ts.isVariableDeclaration(node)) return text;
  const made = node.initializer;
  if (made && ts.isArrowFunction(made)) return `const ${without(made.body).replace(/\s*=>$/, "")}`;
  // The argument of a call says more than the call.
  const [of] = made && ts.isCallExpression(made) ? made.arguments : [];
  const source = of && ts.isIdentifier(of) ? checker.getSymbolAtLocation(of)?.valueDeclaration : undefined;
  return `const ${[source && uncommented(source), text].filter(Boolean).join("\nconst ")}`;
}

/** Without comments and descriptions of fields, and with each chain of calls on one line. */
const uncommented = (node: ts.Node) =>
  node
    .getText()
    .replace(/^ *(?:\/\*\*[\s\S]*?\*\/|\/\/.*)\n+/gm, "")
    .replace(/\n\s*(?=\.\w+\()/g, "")
    .replace(/\.describe\(\s*(?:"(?:[^"\\]|\\.)*"|`[^`]*`|[A-Z_]+),?\s*\)/g, "")
    .replace(/\n{2,}/g, "\n");

if (import.meta.main) writeFileSync("docs/api.md", apiReference());
