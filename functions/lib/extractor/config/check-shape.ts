import { UserError } from '../../errors/errors.ts'
import { isObject } from '../../json/json-value.ts'
import { hasKey, isTooDeep, MAX_JSON_DEPTH } from '../../json-shape.ts'

/**
 * Refuses a configuration of a shape that what reads it need not expect. To be called before anything walks through it.
 *
 * @throws UserError `extractor.config.invalid`
 */
export const checkShape = (input: unknown): void => {
  if (isTooDeep(input)) throw invalid(`it is nested more than ${MAX_JSON_DEPTH} deep`)
  // A parameter of this name would be lost silently
  if (hasKey(input, '__proto__')) throw invalid('"__proto__" cannot be the name of a key')
}

const invalid = (reason: string): UserError =>
  new UserError('extractor.config.invalid', `Invalid configuration: ${reason}`)

/** What a run needs and the configuration does not hold: a draft, or a root whose rows bring it. */
export const missingSections = ({ parameters }: Readonly<Record<string, unknown>>): string[] => {
  const { api, config } = isObject(parameters) ? parameters : {}
  const hasAddress = isObject(api) && Boolean(api['baseUrl'])
  const hasJobs = isObject(config) && Object.keys(config['jobs'] ?? {}).length > 0
  return [...(hasAddress ? [] : ['parameters.api.baseUrl']), ...(hasJobs ? [] : ['parameters.config.jobs'])]
}
