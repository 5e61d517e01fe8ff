import { RouteControllersError } from '../ground/errors.js'
import { defaultLimits, type RequestLimits, tooMany } from './limits.js'

/**
 * Reads a form, multipart or urlencoded, with the platform's own parser.
 *
 * The bytes were capped before: the parsers behind `formData()` have no limits of their own.
 */
export async function parseFormData(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  { maxFormFields, maxFormFiles }: Readonly<Required<RequestLimits>> = defaultLimits,
): Promise<FormData> {
  let form: FormData
  try {
    form = await new Response(bytes, { headers: { 'Content-Type': contentType } }).formData()
  } catch (cause) {
    throw new RouteControllersError('ERR_BODY_MALFORMED', 'The body is not a valid form', { cause })
  }
  let fields = 0
  let files = 0
  for (const [, value] of form) {
    if (typeof value === 'string') fields++
    else files++
  }
  if (fields > maxFormFields) throw tooMany('fields', maxFormFields)
  if (files > maxFormFiles) throw tooMany('files', maxFormFiles)
  return form
}
