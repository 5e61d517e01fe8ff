/** Gives the package another `node:cluster` for the rest of a test file, so that it forks no process. */
export function replaceCluster(cluster: object): void {
  const actual = process.getBuiltinModule.bind(process)
  const replaced = (name: string): object | undefined => (name === 'node:cluster' ? cluster : actual(name))
  jest.spyOn(process, 'getBuiltinModule').mockImplementation(replaced)
}
