import { isObject } from '../../json/json-value.ts'

/** What a run needs and the configuration does not hold: a draft, or a root whose rows bring it. */
export const missingSections = ({ parameters }: Readonly<Record<string, unknown>>): string[] => {
  const { api, config } = isObject(parameters) ? parameters : {}
  const hasAddress = isObject(api) && Boolean(api['baseUrl'])
  const hasJobs = isObject(config) && Object.keys(config['jobs'] ?? {}).length > 0
  return [...(hasAddress ? [] : ['parameters.api.baseUrl']), ...(hasJobs ? [] : ['parameters.config.jobs'])]
}
