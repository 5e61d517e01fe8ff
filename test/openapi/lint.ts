import type { OpenApiDocument } from 'routecontrollers/openapi'
import { nativeRequire } from '../support/native-require.js'

const { Validator } = nativeRequire(
  '@seriousme/openapi-schema-validator',
) as typeof import('@seriousme/openapi-schema-validator')
const validator = new Validator()

/** What is wrong with a document: by the schema of OpenAPI 3.1, and by rules that a schema cannot say. */
export async function lint(document: OpenApiDocument): Promise<string[]> {
  // The validator takes what it is given for its own.
  const { valid, errors } = await validator.validate(structuredClone(document) as never)
  return [...(valid ? [] : [JSON.stringify(errors)]), ...lintRules(document)]
}

function lintRules(document: OpenApiDocument): string[] {
  const wrong: string[] = []
  const declaredTags = (document.tags ?? []).map(({ name }) => name)
  const schemes = Object.keys(document.components?.securitySchemes ?? {})
  const ids = new Set<string>()
  const shapes = new Set<string>()
  for (const [path, item] of Object.entries(document.paths)) {
    const shape = path.replace(/\{[^}]*\}/g, '{}')
    if (shapes.has(shape)) wrong.push(`${path} is there twice, but for the names of its params`)
    shapes.add(shape)
    for (const [method, operation] of Object.entries(item)) {
      const report = (what: string) => wrong.push(`${method} ${path} ${what}`)
      const { operationId, parameters = [], responses, tags = [], security = [] } = operation
      if (ids.has(operationId)) report(`has the operationId ${operationId} of another`)
      ids.add(operationId)
      const named = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
      const inPath = parameters.filter((one) => one.in === 'path')
      if (inPath.map(({ name }) => name).join() !== named.join())
        report('does not declare the params of its path')
      if (inPath.some(({ required }) => required !== true)) report('has a param that is not required')
      const keys = parameters.map(({ name, in: place }) => `${place} ${name}`)
      if (new Set(keys).size < keys.length) report('has a parameter twice')
      if (Object.keys(responses).length === 0) report('has no responses')
      if (tags.some((tag) => !declaredTags.includes(tag))) report('has a tag that is not declared')
      const wanted = security.flatMap((one) => Object.keys(one))
      if (wanted.some((name) => !schemes.includes(name))) report('has a security scheme that is not declared')
    }
  }
  const schemas = document.components?.schemas ?? {}
  const unused = new Set(Object.keys(schemas))
  for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)) {
    const [, name = ''] = /^#\/components\/schemas\/([\w.-]+)/.exec(reference!) ?? []
    if (!Object.hasOwn(schemas, name)) wrong.push(`${reference} leads nowhere`)
    unused.delete(name)
  }
  for (const name of unused) wrong.push(`nothing uses the schema ${name}`)
  return wrong
}
