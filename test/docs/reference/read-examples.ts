import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fence, fencesOf } from './fences.ts'
import { type Exchange, readExchanges } from './read-exchanges.ts'

/** A configuration in a document, what the API answers, and what comes of it. */
export interface Example {
  file: string
  line: number
  /** The headings above it. */
  title: string
  config: Record<string, unknown>
  exchanges: Exchange[]
  stateBefore: unknown
  /** Part of the state after the run; absent when the example is not about it. */
  stateAfter: unknown
  /** CSV by name of the table: all tables of the run. */
  tables: Record<string, string>
  /** Parts of manifests by name of the table. */
  manifests: Record<string, unknown>
  /** Parts of all warnings, in order. */
  warnings: string[]
  /** `<code>: <part of the message>` */
  error: string | undefined
}

/** Every example of the documents: a fence ```` ```json example ```` and those after it, up to the next one or a heading. */
export const readExamples = (root: string): Example[] =>
  globSync('docs/**/*.md', { cwd: root })
    .sort()
    .flatMap(file => examplesIn(file, readFileSync(join(root, file), 'utf8')))

export const examplesIn = (file: string, markdown: string): Example[] => {
  const examples: Example[] = []
  let current: Example | undefined
  let heading: string | undefined
  for (const fence of fencesOf(markdown)) {
    try {
      if (fence.info === 'json example') {
        current = newExample(file, fence)
        examples.push(current)
      } else if (fence.heading !== heading) current = undefined
      else if (current !== undefined && isPart(fence)) take(current, fence)
      heading = fence.heading
    } catch (cause) {
      throw new Error(`${file}:${fence.line}: ${cause instanceof Error ? cause.message : cause}`, { cause })
    }
  }
  return examples
}

const newExample = (file: string, { line, heading, text }: Fence): Example => ({
  file,
  line,
  title: heading,
  config: completed(JSON.parse(text)),
  exchanges: [],
  stateBefore: undefined,
  stateAfter: undefined,
  tables: {},
  manifests: {},
  warnings: [],
  error: undefined,
})

/** What an example leaves out is as on the page "Reading the examples" of the reference. */
const completed = (given: Record<string, unknown>): Record<string, unknown> => {
  const { api, config, iterations, aws, cache, sshProxy, parameters, ...root } = given
  if (parameters !== undefined) return given
  const others = Object.entries({ iterations, aws, cache, sshProxy }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    ...root,
    parameters: {
      api: { baseUrl: 'https://api.example.com/', ...(api as object) }, // spreading anything else gives nothing
      config: { jobs: [{ endpoint: 'orders' }], ...(config as object) }, // as above
      ...Object.fromEntries(others),
    },
  }
}

/** Any other fence, such as a plain `json` or `sh`, is passed over. */
const isPart = ({ info }: Fence): boolean => info === 'http' || info.includes(' ') || info === 'csv'

const take = (example: Example, { info, text }: Fence): void => {
  const [language, what, name = ''] = info.split(' ')
  switch (`${language} ${what ?? ''}`.trim()) {
    case 'http':
      example.exchanges.push(...readExchanges(text))
      return
    case 'csv':
    case `csv ${what}`:
      if (what === undefined) throw new Error('a csv fence needs the name of its table')
      example.tables[what] = text
      return
    case 'json manifest':
      example.manifests[name] = JSON.parse(text)
      return
    case 'json state':
      if (name === 'before') example.stateBefore = JSON.parse(text)
      else example.stateAfter = JSON.parse(text)
      return
    case 'text warning':
      example.warnings.push(...text.trimEnd().split('\n'))
      return
    case 'text error':
      example.error = text.trimEnd()
      return
    default:
      throw new Error(`"${info}" is no part of an example`)
  }
}
