// `routecontrollers/migrate` is two packages now: its types say which, where a program that imports from it is compiled.
import type * as moved from 'routecontrollers/migrate'
import type * as cli from '@routecontrollers/cli'
import type * as switching from '@routecontrollers/switch'

type Functions<Module> = keyof {
  [Name in keyof Module as Module[Name] extends (...given: never) => unknown ? Name : never]: true
}
type PackageOf<Name extends keyof typeof moved> = (typeof moved)[Name]['movedTo']

export const ofSwitch: PackageOf<Functions<typeof switching>> = '@routecontrollers/switch'
// What has come since was never anywhere else.
export const ofCli: PackageOf<Exclude<Functions<typeof cli>, 'inventoryPage'>> = '@routecontrollers/cli'

declare const { migration }: Pick<typeof moved, 'migration'>
// @ts-expect-error It names the package: "Type 'MovedTo<"@routecontrollers/switch">' has no call signatures."
migration({})
