import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { Job } from '../../config/job-schema.ts'
import { isEmpty } from '../../values/php/php-values.ts'
import type { Log } from '../masking/log.ts'

/** Enough to see what went wrong; a list may have an error for each of its items. */
const MAX_SHOWN = 5

/**
 * GraphQL says what failed in `errors` of an answer with status 200.
 *
 * @throws UserError `extractor.response.graphql`
 */
export const checkGraphqlErrors = (response: Json, { graphql, endpoint }: Job, log: Log): void => {
  if (graphql === undefined || !isObject(response)) return
  const { errors } = response
  if (errors === undefined || isEmpty(errors)) return
  const said = [errors].flat().map(describe)
  const more = said.length > MAX_SHOWN ? ` and ${said.length - MAX_SHOWN} more` : ''
  const message = `GraphQL errors from '${endpoint}': ${said.slice(0, MAX_SHOWN).join('; ')}${more}`
  if (graphql.errors !== 'warn' || isEmpty(response['data']))
    throw new UserError('extractor.response.graphql', message, {
      params: { errors: said.slice(0, MAX_SHOWN) },
    })
  log.warning(message)
}

const describe = (error: Json): string => {
  if (!isObject(error)) return JSON.stringify(error)
  const { message, path } = error
  const at = Array.isArray(path) ? ` (at ${path.join('.')})` : ''
  return `${typeof message === 'string' ? message.slice(0, 500) : JSON.stringify(error).slice(0, 500)}${at}`
}
