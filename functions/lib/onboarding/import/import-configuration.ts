import { UserError } from '#lib/errors/errors.ts'
import type { JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { bucketOf, type Draft } from '../detect/draft.ts'
import { readForeign } from '../read-foreign.ts'
import { readAirbyte } from './airbyte/read-airbyte.ts'
import { readDlt } from './dlt/read-dlt.ts'
import type { ImportedSource } from './imported-source.ts'
import { type Loss, Report } from './report.ts'
import { readSinger } from './singer/read-singer.ts'
import { toConfiguration } from './to-configuration.ts'

const formats = ['airbyte', 'dlt', 'meltano'] as const
type Format = (typeof formats)[number]

interface ImportOptions {
  /** `airbyte`, `dlt` or `meltano`. Without it: by what stands in the file. */
  format?: string | undefined
  /** What a person fills in: the configuration of an Airbyte source. */
  settings?: JsonObject | undefined
  bucket?: string | undefined
}

/**
 * Our configuration of a foreign one, with what of it is not taken over; without a draft, and with the problem, when nothing of it can be
 * read here.
 *
 * @throws UserError `extractor.draft` when it is of no known form
 */
export const importConfiguration = (
  text: string,
  { format, settings = {}, bucket }: ImportOptions,
): { format: Format; losses: readonly Loss[] } & (
  | { draft: Draft; problem?: undefined }
  | { draft?: undefined; problem: UserError }
) => {
  const document = readForeign(text, 'The file')
  const found = formats.find(each => each === format) ?? formatOf(document)
  if (found === undefined)
    throw new UserError(
      'extractor.draft',
      'It is not seen what this file is for: give --from airbyte, dlt or meltano.',
    )
  const report = new Report()
  const source = read(found, document, settings, report)
  const { losses } = report
  if (source.baseUrl === '')
    return {
      format: found,
      losses,
      problem: new UserError('extractor.draft', 'It names no base address of an API. The report says why.'),
    }
  const { baseUrl } = source
  const host = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? bucketOf(new URL(baseUrl)) : 'api'
  const draft = toConfiguration(source, bucket ?? host, report)
  if (draft !== undefined) return { format: found, losses, draft }
  return {
    format: found,
    losses,
    problem: new UserError(
      'extractor.draft',
      'Nothing of it can be read here: no stream is left. The report says why.',
      {
        params: { losses },
      },
    ),
  }
}

const read = (format: Format, document: JsonObject, settings: JsonObject, report: Report): ImportedSource => {
  if (format === 'airbyte') return readAirbyte(document, settings, report)
  if (format === 'dlt') return readDlt(document, report)
  const { config, path } = tapOf(document)
  return readSinger({ ...config, ...settings }, path, report)
}

/** By what stands in the document; `undefined`: it is none of them. */
export const formatOf = (document: JsonObject): Format | undefined => {
  if (
    document['type'] === 'DeclarativeSource' ||
    (document['streams'] !== undefined && document['check'] !== undefined)
  )
    return 'airbyte'
  if (isObject(document['client']) && document['resources'] !== undefined) return 'dlt'
  if (document['plugins'] !== undefined || document['api_url'] !== undefined) return 'meltano'
  return undefined
}

/** The settings of the tap: in a project of Meltano, or as a file of their own. */
const tapOf = (document: JsonObject): { config: JsonObject; path: string } => {
  if (document['api_url'] !== undefined) return { config: document, path: 'settings' }
  const plugins = isObject(document['plugins']) ? document['plugins'] : {}
  for (const [index, extractor] of [plugins['extractors'] ?? []].flat().filter(isObject).entries()) {
    const { config } = extractor
    if (isObject(config) && config['api_url'] !== undefined)
      return { config, path: `plugins.extractors.${index}.config` }
  }
  throw new UserError(
    'extractor.draft',
    'There is no extractor with "api_url" in its settings, as tap-rest-api-msdk has them.',
  )
}
