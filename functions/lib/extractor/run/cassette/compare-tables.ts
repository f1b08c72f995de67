import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { isMissing } from '#lib/paths/is-missing.ts'

/** In what one file differs; `values` shows rows, which may hold secrets of an unmasked table. */
interface Difference {
  sentence: string
  values?: string
}

/**
 * In what two folders of tables and manifests differ, one difference per file: names first, then the first line that differs. A folder that
 * is not there holds no tables.
 */
export const compareTables = async (recorded: string, replayed: string): Promise<Difference[]> => {
  const [before, after] = await Promise.all([filesOf(recorded), filesOf(replayed)])
  const missing = before
    .filter(name => !after.includes(name))
    .map(name => ({ sentence: `"${name}" was recorded, but is missing.` }))
  const added = after
    .filter(name => !before.includes(name))
    .map(name => ({ sentence: `"${name}" was not recorded.` }))
  const changed: Difference[] = []
  for (const name of before.filter(name => after.includes(name))) {
    const difference = await firstDifference(join(recorded, name), join(replayed, name))
    if (difference !== undefined)
      changed.push({ ...difference, sentence: `"${name}" ${difference.sentence}` })
  }
  return [...missing, ...added, ...changed]
}

const filesOf = async (folder: string): Promise<string[]> => {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

const firstDifference = async (recorded: string, replayed: string): Promise<Difference | undefined> => {
  if ((await digestOf(recorded)) === (await digestOf(replayed))) return undefined
  const [before, after] = [linesOf(recorded), linesOf(replayed)]
  try {
    for (let line = 1; ; line++) {
      const [one, other] = await Promise.all([before.next(), after.next()])
      if (one.done === true && other.done === true) return { sentence: 'differs in its line ends.' }
      if (one.value === other.value) continue
      return {
        sentence: `differs in line ${line}.`,
        values: `Recorded: ${shown(one)}. Now: ${shown(other)}.`,
      }
    }
  } finally {
    await Promise.all([before.return?.(undefined), after.return?.(undefined)])
  }
}

const digestOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

const linesOf = (file: string): AsyncIterator<string> =>
  createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]()

const SHOWN = 200

const shown = (line: IteratorResult<string>): string =>
  line.done === true ? 'the end' : line.value.slice(0, SHOWN)
