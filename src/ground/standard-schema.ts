/**
 * A schema of any library that implements Standard Schema 1 (https://standardschema.dev): zod, valibot, arktype and others.
 *
 * It is declared here and not imported, so that these declarations need no other package.
 */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** The result of a schema for a value: the value that it returns, or why it refuses. */
export type SchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] }

/** One reason why a value is refused. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The type that a schema accepts. */
export type SchemaInput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: infer Types }
}
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown

/** The type that a schema returns. */
export type SchemaOutput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: infer Types }
}
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown

/** The schemas of the input of a route, each for one part of the request. */
export interface InputSchemas {
  readonly params?: StandardSchema
  readonly query?: StandardSchema
  readonly headers?: StandardSchema
  readonly cookies?: StandardSchema
  readonly body?: StandardSchema
}

/** The schemas of the answers of a route, by status. */
export type OutputSchemas = { readonly [status: number]: StandardSchema }
