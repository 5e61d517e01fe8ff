/**
 * A schema of any library that speaks Standard Schema 1 (https://standardschema.dev): zod, valibot, arktype and others.
 *
 * Written out here and not imported, so that these declarations need no other package.
 */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** What a schema says of a value: the value it has made of it, or why it refuses it. */
export type SchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] }

/** One reason why a value is refused. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What a schema takes. */
export type SchemaInput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: infer Types }
}
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown

/** What a schema gives. */
export type SchemaOutput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: infer Types }
}
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown

/** The schemas of what a route takes, each for one part of the request. */
export interface InputSchemas {
  readonly params?: StandardSchema
  readonly query?: StandardSchema
  readonly headers?: StandardSchema
  readonly cookies?: StandardSchema
  readonly body?: StandardSchema
}

/** The schemas of what a route answers, by status. */
export type OutputSchemas = { readonly [status: number]: StandardSchema }
