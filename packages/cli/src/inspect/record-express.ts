import { currentRecorder, Registrations } from './record.js'

/** Express as it is imported: what makes apps and routers. */
interface ExpressModule {
  readonly application: object
  readonly Router: object
  readonly Route: { readonly prototype: object }
}

/**
 * Records, in this process, where apps of this Express and Controllers are registered from now on. By that `inspect(app)` tells the
 * lines, and `checkMigration` compares the arguments of guards. The command does it by itself; a test calls it before the app is made.
 *
 * Gives what ends it. Throws a TypeError for anything but Express.
 */
export function recordRegistrations(express: unknown): () => void {
  const { application, Router, Route } = (express ?? {}) as Partial<ExpressModule>
  if (typeof application !== 'function' && typeof application !== 'object') {
    throw new TypeError('recordRegistrations takes Express itself: recordRegistrations(express)')
  }
  const registrations = currentRecorder() ?? new Registrations().install()
  const { prototype } = Router as { prototype?: object }
  const router = isPrototype(prototype) ? prototype : Router!
  const patched = [application, router, Route!.prototype].map(
    (methods) => [methods, { ...Object.getOwnPropertyDescriptors(methods) }] as const,
  )
  for (const [methods] of patched) registrations.watchPrototype(methods)
  return () => {
    registrations.uninstall()
    for (const [methods, descriptors] of patched) {
      for (const name of Object.keys(descriptors)) {
        const { configurable } = Object.getOwnPropertyDescriptor(methods, name)!
        if (configurable) Object.defineProperty(methods, name, descriptors[name]!)
      }
    }
  }
}

function isPrototype(value: unknown): value is object {
  return typeof (value as { use?: unknown } | undefined)?.use === 'function'
}
