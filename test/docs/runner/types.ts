import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fixtures, root, type Program } from '../../support/doc-blocks.js'

/** Checks the types of all programs at once, as strictly as our own code. Returns what is wrong, with its place. */
export function checkTypes(programs: Program[]): string[] {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'doc-types-'))
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const modules = new Map(programs.map((program) => [program.module, program]))
    for (const [module, { source }] of modules) {
      mkdirSync(dirname(join(folder, module)), { recursive: true })
      writeFileSync(join(folder, module), source)
    }
    const compilerOptions = {
      allowJs: true,
      checkJs: true,
      // A block without import and export is a module all the same: its names are its own, and it may await.
      moduleDetection: 'force',
      rootDirs: [folder, fixtures],
      typeRoots: [join(root, 'node_modules/@types')],
    }
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions,
      files: [...modules.keys()],
      include: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))

    // The compiler that is several times as fast.
    const compiler = join(root, 'node_modules/typescript7/bin/tsc')
    const parameters = [compiler, '-p', folder, '--pretty', 'false']
    const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
      cwd: folder,
      encoding: 'utf8',
    })
    const told = /^(?<file>\S+?)\((?<line>\d+),\d+\): error TS\d+: (?<text>.*(?:\n .*)*)/gm
    const wrong = [...stdout.matchAll(told)].flatMap(({ groups }) => {
      const program = modules.get(groups!['file']!)
      return program ? [`${program.file}:${groups!['line']}: ${groups!['text']}`] : []
    })
    // Neither what it refuses to begin nor what it finds elsewhere is to pass as nothing.
    if (status !== 0 && wrong.length === 0)
      throw new Error(`tsc has ended with code ${status}\n${stdout}${stderr}`)
    return wrong
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
