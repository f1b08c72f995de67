import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import { readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import { IcebergRefusal } from '#lib/iceberg/refusal.ts'

/** Tables and metadata that other writers made. They are not part of the repository. */
const folder = path.join(import.meta.dirname, '../../../../../shared/conformance/iceberg')
const isThere = existsSync(folder)
if (!isThere) console.log(`skipped: the tables of other writers are not in ${folder}`)

const read = (location: string) =>
  readFile(path.join(folder, decodeURIComponent(location.replace(/^s3a?:\/\/hyperparam-iceberg\//, ''))))

/** Files of rows and of deletes, or why they are not read. */
const readTable = async (file: string): Promise<string> => {
  try {
    const metadata = parseMetadata(await readFile(path.join(folder, file), 'utf8'))
    // These have no objects.
    if (file.startsWith('metadata/')) return 'metadata'
    const live = await readLiveFiles(read, metadata)
    return `${live.length} files, ${live.filter(({ deletes }) => deletes).length} with deletes`
  } catch (error) {
    if (!(error instanceof IcebergRefusal)) throw error
    return error.message
  }
}

/** By their paths: each other one is read. */
const refused: readonly [RegExp, string][] = [
  [/^athena|rename_column|v4|v5|^metadata\/(?!.*StatisticsFiles)/, 'is not of a table that is written here.'],
  [/^java.*v4/, 'bunnies-pos-deletes.parquet are not of one file.'],
  [/^java.*v5/, 'has an entry that is not valid.'],
]

describe.skipIf(!isThere)('a table of another writer', () => {
  it.each(isThere ? globSync('**/*.json', { cwd: folder }).toSorted() : [])(
    '%s is read, or refused with a sentence',
    async file => {
      const [, reason] = refused.findLast(([of]) => of.test(file)) ?? []
      expect(await readTable(file)).toMatch(
        reason === undefined ? /^metadata$|^\d files/ : new RegExp(reason),
      )
    },
  )
})
