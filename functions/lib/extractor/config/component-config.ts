import { isObject } from '../../json/json-value.ts'

/**
 * The `config.json` of one run of the component (docs/reference/storage-api.md#how-rows-run): `processors` never get
 * there, and `image_parameters` and `action` are the platform's, whatever was stored under their names. What only the
 * runner reads stays out too.
 */
export const componentConfig = (
  configuration: Record<string, unknown>,
  imageParameters: Record<string, unknown>,
): Record<string, unknown> => {
  const { processors: _, schedule: __, continueOnFailure: ___, ...rest } = configuration
  return { ...rest, image_parameters: imageParameters, action: 'run' }
}

export const usesRefreshToken = (config: Record<string, unknown>): boolean => {
  const { parameters } = config
  return isObject(parameters) && [parameters['api'], parameters['config']].some(hasGrant)
}

/** In `authentication`, of the API or of jobs at any depth. */
const hasGrant = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(hasGrant)
  if (!isObject(value)) return false
  const { authentication, jobs, children } = value as Record<string, unknown>
  return (
    (isObject(authentication) && authentication['grant'] === 'refresh_token') ||
    [jobs, children].some(hasGrant)
  )
}

/** What a run needs and the configuration does not hold: a draft, or a root whose rows bring it. */
export const missingSections = ({ parameters }: Readonly<Record<string, unknown>>): string[] => {
  const { api, config } = isObject(parameters) ? parameters : {}
  const hasAddress = isObject(api) && Boolean(api['baseUrl'])
  const hasJobs = isObject(config) && Object.keys(config['jobs'] ?? {}).length > 0
  return [...(hasAddress ? [] : ['parameters.api.baseUrl']), ...(hasJobs ? [] : ['parameters.config.jobs'])]
}
