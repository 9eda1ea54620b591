// The programs that the explorer offers for change feed processors, read by the tools of their languages. A missing tool is
// named. Rust is compiled by the tests of the package planisphere; of C# only the grammar is checked.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Language, Parser } from "web-tree-sitter";

// Parses a source file with the compiler's own parser: a full compilation would need the library.
const PARSE_JAVA = `import com.sun.source.util.JavacTask;
import java.io.File;
import javax.tools.*;

public class Parse {
    public static void main(String[] files) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        var sources = compiler.getStandardFileManager(problems, null, null).getJavaFileObjects(new File(files[0]));
        ((JavacTask) compiler.getTask(null, null, problems, null, null, sources)).parse();
        problems.getDiagnostics().forEach(System.err::println);
        System.exit(problems.getDiagnostics().isEmpty() ? 0 : 1);
    }
}
`;

// The syntax tree of a text in C# that contains a mistake, otherwise null.
async function mistakeInCSharp(text) {
  await Parser.init();
  const grammar = createRequire(import.meta.url).resolve("tree-sitter-c-sharp/tree-sitter-c_sharp.wasm");
  const parser = new Parser().setLanguage(await Language.load(grammar));
  const root = parser.parse(text).rootNode;
  return root.hasError ? root.toString() : null;
}

export async function programTests({ test, account }) {
  await test("6 change feed: the programs that start a processor are read by their languages", async () => {
    const source = await (await fetch(`${account.origin}/_explorer/processor_programs.js`)).text();
    const { processorPrograms } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    // Names that need quoting in every language.
    const programs = processorPrograms({ database: 'a "shop"', container: "größe\\n" }, account.endpoint);
    assert.deepEqual(programs.map(({ label }) => label), ["C#", "Java", "JavaScript", "Python", "Rust"]);
    const folder = mkdtempSync(join(tmpdir(), "planisphere-programs-"));
    const write = (name, text) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const code = Object.fromEntries(programs.map((one) => [one.label, one.code]));
    assert.equal(await mistakeInCSharp(code["C#"]), null);
    assert.notEqual(await mistakeInCSharp(code["C#"].replace(";", "")), null);
    const readers = {
      Java: ["java", write("Parse.java", PARSE_JAVA), write("Processor.java", code.Java)],
      JavaScript: [process.execPath, "--check", write("processor.mjs", code.JavaScript)],
      Python: ["python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read())", write("processor.py", code.Python)],
    };
    for (const [language, [tool, ...words]] of Object.entries(readers)) {
      const read = spawnSync(tool, words, { encoding: "utf8" });
      if (read.error?.code === "ENOENT") console.log(`SKIPPED ${language}: ${tool} is missing`);
      else assert.equal(read.status, 0, `${language}: ${read.stderr}`);
    }
  });
}
