import { join } from 'node:path'
import ts from 'typescript'
import { fixtures, root, type Program } from '../../support/doc-blocks.js'

/** Checks the types of all programs at once, as strictly as our own code. Returns what is wrong, with its place. */
export function checkTypes(programs: Program[]): string[] {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const options: ts.CompilerOptions = {
    ...ts.parseJsonConfigFileContent(config.config, ts.sys, root).options,
    allowJs: true,
    checkJs: true,
    // A block without import and export is a module all the same: its names are its own, and it may await.
    moduleDetection: ts.ModuleDetectionKind.Force,
  }
  const modules = new Map(programs.map((program) => [join(fixtures, program.module), program]))

  const host = ts.createCompilerHost(options)
  host.fileExists = (path) => modules.has(path) || ts.sys.fileExists(path)
  host.readFile = (path) => modules.get(path)?.source ?? ts.sys.readFile(path)

  const compiled = ts.createProgram([...modules.keys()], options, host)
  return [...modules].flatMap(([path, program]) =>
    ts
      .getPreEmitDiagnostics(compiled, compiled.getSourceFile(path))
      .filter(({ file }) => file?.fileName === path)
      .map(({ start, messageText, file }) => {
        const line = file!.getLineAndCharacterOfPosition(start!).line + 1
        return `${program.file}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
      }),
  )
}
