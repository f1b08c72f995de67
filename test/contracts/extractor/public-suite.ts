import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import type { JsonObject } from '#lib/json/json-value.ts'
import { apiOfStream } from '../../manifests/public/api-of-manifest.ts'
import { onlyStream } from '../../manifests/public/only-stream.ts'
import { placedManifest } from '../../manifests/public/placed-manifest.ts'
import { settingsOf } from '../../manifests/public/settings-of-spec.ts'
import { type PublicStream, streamsOf } from '../../manifests/public/streams-of.ts'
import { withoutNow } from '../../manifests/public/without-now.ts'
import { importing, type Reading, reading, type Said } from '../../manifests/read-manifest.ts'
import type { ContractSuite } from '../contract-suite.ts'
import { fetchPython } from '../implementations/cache.ts'
import { airbyteRuntime, startAirbyte } from './airbyte-runtime.ts'

type Outcome = 'right' | 'asks, said' | 'asks, silent' | 'rows, said' | 'rows, SILENT' | 'not judged' | 'code'

interface Judged {
  outcome: Outcome
  lines: string[]
}

/**
 * Public declarative manifests, of the folder `manifests` in the one that `MILLRACE_SUITES` names, against servers that are made of them
 * alone: each stream in Airbyte's own runtime and imported here. What came of each is written to `manifests/outcomes.txt` there.
 */
export const publicSuite: ContractSuite = {
  name: 'public-manifests',
  run: async () => {
    const folder = join(process.env['MILLRACE_SUITES'] ?? '', 'manifests')
    const files = await readdir(join(folder, 'yaml')).catch(() => [])
    if (process.env['MILLRACE_SUITES'] === undefined || files.length === 0)
      return { skipped: 'MILLRACE_SUITES names no folder with public manifests in manifests/yaml.' }
    const env = await fetchPython([airbyteRuntime])
    if (env === undefined) return { skipped: `Python could not bring ${airbyteRuntime}.` }
    const airbyte = startAirbyte(env)
    const written: string[] = []
    const counts = { passed: 0, failed: 0, differing: 0 }
    const only = process.env['MANIFEST'] ?? ''
    try {
      for (const file of files.filter(name => name.includes(only)).toSorted()) {
        const manifest = readYaml(await readFile(join(folder, 'yaml', file), 'utf8'))
        if (manifest === undefined) {
          written.push(`${file}: not judged`, '    it is no YAML')
          continue
        }
        const judged: Judged[] = []
        for (const stream of streamsOf(placedManifest(manifest, 'ORIGIN'))) {
          const one = stream.hasCode
            ? { outcome: 'code' as const, lines: [] }
            : await judge(manifest, stream, airbyte.read)
          judged.push(one)
          const lines = [`${file} ${stream.name}: ${one.outcome}`, ...one.lines.map(line => `    ${line}`)]
          if (only !== '') console.error(lines.join('\n'))
          written.push(...lines)
        }
        if (only === '') await writeFile(join(folder, 'outcomes.txt'), `${written.join('\n')}\n`)
        const outcomes = judged
          .map(({ outcome }) => outcome)
          .filter(outcome => outcome !== 'not judged' && outcome !== 'code')
        if (outcomes.length === 0) continue
        const isRight = outcomes.every(outcome => outcome === 'right')
        const isSilent = outcomes.some(outcome => outcome === 'rows, SILENT')
        counts[isRight ? 'passed' : isSilent ? 'failed' : 'differing']++
      }
    } finally {
      airbyte.stop()
    }
    return counts
  },
}

const readYaml = (text: string): JsonObject | undefined => {
  try {
    return parse(text) as JsonObject // public manifests are objects
  } catch {
    return undefined
  }
}

type Runtime = ReturnType<typeof startAirbyte>['read']

/** A stream as it is read here, and where what the runtime does with it is kept for the day. */
const placedStream = (manifest: JsonObject, { name, stream, index }: PublicStream) => {
  const config = settingsOf(placedManifest(manifest, 'ORIGIN'), 'ORIGIN')
  const placed = placedManifest(onlyStream(manifest, index), 'ORIGIN')
  const digest = hash('sha1', JSON.stringify([stream, name, placed, config]))
  const day = new Date().toISOString().slice(0, 10)
  const kept = join(process.env['MILLRACE_SUITES'] ?? '', 'manifests', 'theirs', day, `${digest}.json`)
  return { config, placed, kept, answer: () => apiOfStream(stream, config) }
}

const judge = async (manifest: JsonObject, stream: PublicStream, runtime: Runtime): Promise<Judged> => {
  const { name } = stream
  const { config, placed, kept, answer } = placedStream(manifest, stream)
  const theirs = await once(kept, () =>
    reading(answer(), placed, config, (given, settings) => runtime(given, settings, name)),
  )
  if (theirs.error !== undefined || theirs.rows.length === 0)
    return {
      outcome: 'not judged',
      lines: [theirs.error?.split('\n')[0]?.slice(0, 300) ?? 'no rows', ...theirs.requests.slice(0, 3)],
    }
  const said: Said = { losses: [], warnings: [] }
  return judgment(await reading(answer(), placed, config, importing(name, said)), theirs, said)
}

/** The runtime takes most of the time, and ours changes more often. */
const once = async (kept: string, read: () => Promise<Reading>): Promise<Reading> => {
  const known = await readFile(kept, 'utf8').catch(() => undefined)
  if (known !== undefined) return JSON.parse(known) as Reading // as below
  const made = await read()
  await mkdir(dirname(kept), { recursive: true })
  await writeFile(kept, JSON.stringify(made))
  return made
}

const judgment = (ours: Reading, theirs: Reading, { losses, warnings }: Said): Judged => {
  const said = losses
    .filter(({ level }) => level !== 'none')
    .map(({ path, why, level }) => `${level}: ${path}: ${why}`)
  const differing = [
    ...differences('request', ours.requests, theirs.requests),
    ...differences('row', ours.rows, theirs.rows),
  ]
  if (ours.error !== undefined) differing.unshift(`error: ${ours.error}`)
  const lines = [...differing, ...said, ...warnings.map(warning => `warning: ${warning}`)]
  if (differing.length === 0) return { outcome: 'right', lines: [] }
  const ids = new Set(ours.rows.map(idOf))
  const isLacking =
    ours.error !== undefined ||
    ours.rows.length < theirs.rows.length ||
    (theirs.rows.filter(row => ids.has(idOf(row))).length === 0 &&
      ours.requests.length < theirs.requests.length)
  if (!isLacking) return { outcome: said.length > 0 ? 'asks, said' : 'asks, silent', lines }
  const isSaid =
    ours.error !== undefined ||
    losses.some(({ level }) => level === 'rows') ||
    warnings.some(warning => warning.startsWith('Job ')) // of which rows may be missing
  return { outcome: isSaid ? 'rows, said' : 'rows, SILENT', lines }
}

const idOf = (row: string): string => /(?:^| )id=(\S+)/.exec(row)?.[1] ?? row

const differences = (what: string, ours: readonly string[], theirs: readonly string[]): string[] => {
  const [a, b] = [ours, theirs].map(lines =>
    [...lines].filter(isNoRepeatedToken).map(line => comparable(withoutNow(line))),
  ) as [string[], string[]]
  return [
    ...[...new Set(a)]
      .filter(line => !b.includes(line))
      .slice(0, 2)
      .map(line => `+ ${what} ${line}`),
    ...[...new Set(b)]
      .filter(line => !a.includes(line))
      .slice(0, 2)
      .map(line => `- ${what} ${line}`),
    ...(a.length === b.length ? [] : [`${a.length} ${what}s, not ${b.length}`]),
  ]
}

/** The runtime sends `None` for a setting without a value, ours sends nothing. Columns have no underscore before their names here. */
const comparable = (line: string): string =>
  line
    .replace(/([?&])[^=&]*=None(?=&|\s|$)/g, '$1')
    .replace(/[?&]+(?=\s|$)/g, '')
    .replace(/&&+/g, '&')
    .replace(/\?&/, '?')
    .replace(/(^| )_+(?=\w+=)/g, '$1')

/** The runtime asks for a token as often as it likes. */
const isNoRepeatedToken = (line: string, index: number, all: readonly string[]): boolean =>
  !/^POST .*(token|login|auth|session)/i.test(line) || all.indexOf(line) === index
