import { writeFile } from 'node:fs/promises'
import { nameOf, pairs, recordedFile, recordedOnes, single } from '../../manifests/all-features.ts'
import { manifestOf } from '../../manifests/feature.ts'
import { apiOf } from '../../manifests/manifest-api.ts'
import { type Reading, readByOurs, reading } from '../../manifests/read-manifest.ts'
import type { ContractSuite } from '../contract-suite.ts'
import { fetchPython } from '../implementations/cache.ts'
import { airbyteRuntime, startAirbyte } from './airbyte-runtime.ts'
import { listedDifference } from './listed-differences.ts'

/** One of so many pairs is read. */
const EVERY = Number(process.env['PAIRS'] ?? 8)

/**
 * Declarative manifests in Airbyte's own runtime and imported here, against the same API: each feature alone and in pairs. Rows and requests
 * are the same, or the report of the import says what is not. With `RECORD=1` what the runtime does with single features goes to
 * `test/manifests/recorded.json`, to which `npm test` holds ours.
 */
export const extractorSuite: ContractSuite = {
  name: 'extractor',
  run: async () => {
    const env = await fetchPython([airbyteRuntime])
    if (env === undefined) return { skipped: `Python could not bring ${airbyteRuntime}.` }
    const airbyte = startAirbyte(env)
    const counts = { passed: 0, failed: 0, differing: 0 }
    const recorded: Record<string, Reading> = {}
    try {
      const chosen = pairs.filter((_, index) => index % EVERY === 0)
      for (const features of new Set([...single, ...recordedOnes, ...chosen])) {
        const name = nameOf(features)
        const { manifest, config } = manifestOf(features)
        const theirs = await reading(apiOf(features), manifest, config, airbyte.read)
        if (recordedOnes.includes(features)) recorded[name] = theirs
        const { losses, ...ours } = await readByOurs(features)
        if (isSame(ours, theirs)) counts.passed++
        else if (
          losses.some(({ level }) => level !== 'none') ||
          listedDifference(features, theirs, ours) !== undefined
        )
          counts.differing++
        else {
          counts.failed++
          tell(name, ours, theirs)
        }
      }
    } finally {
      airbyte.stop()
    }
    if (process.env['RECORD'] === '1') await writeFile(recordedFile, `${JSON.stringify(recorded, null, 2)}\n`)
    return counts
  },
}

const isSame = (ours: Reading, theirs: Reading): boolean =>
  (ours.error === undefined) === (theirs.error === undefined) &&
  JSON.stringify([ours.rows, ours.requests]) === JSON.stringify([theirs.rows, theirs.requests])

const tell = (name: string, ours: Reading, theirs: Reading): void => {
  console.error(name)
  for (const key of ['requests', 'rows'] as const) {
    for (const line of ours[key].filter(line => !theirs[key].includes(line)).slice(0, 2))
      console.error(`  + ${line}`)
    for (const line of theirs[key].filter(line => !ours[key].includes(line)).slice(0, 2))
      console.error(`  - ${line}`)
    if (ours[key].length !== theirs[key].length)
      console.error(`  ${ours[key].length} ${key}, not ${theirs[key].length}`)
  }
  if (ours.error !== theirs.error)
    console.error(`  ${ours.error ?? 'no error'}, not ${theirs.error ?? 'none'}`)
}
