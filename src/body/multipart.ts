import { RouteControllersError } from '../errors.js'
import { maxFields, tooManyFields } from './limits.js'

/**
 * Reads a form, multipart or urlencoded, with the platform's own parser.
 *
 * The bytes were capped before: the parsers behind `formData()` have no limits of their own.
 */
export async function parseFormData(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
  let form: FormData
  try {
    form = await new Response(bytes, { headers: { 'Content-Type': contentType } }).formData()
  } catch (cause) {
    throw new RouteControllersError('ERR_BODY_MALFORMED', 'The body is not a valid form', {
      status: 400,
      cause,
    })
  }
  let fields = 0
  for (const _ of form) if (++fields > maxFields) throw tooManyFields()
  return form
}
