import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { paginateListObjectsV2 } from '@aws-sdk/client-s3'
import { filePrefixes } from '../../functions/lib/storage/files/file-prefixes.ts'
import type { CloudFacts } from '../../local/runtime/embedded-cloud.ts'
import { acknowledged, callApi, s3Of } from './client.ts'
import type { Difference } from './model.ts'

const differ = (subject: string, message: string): Difference => ({ subject, step: 0, message })

/**
 * Objects of files that no file of the API names, and that nothing will ever remove. An upload that is cut off between its
 * object and its file leaves one below a prefix that the sweep and the lifecycle rules empty: those are counted in `log`.
 */
export const compareFileObjects = async (
  facts: CloudFacts,
  log: (line: string) => void,
): Promise<Difference[]> => {
  const known = new Set<number>()
  const pageSize = 10_000
  for (let offset = 0, found = pageSize; found === pageSize; offset += pageSize) {
    const path = `files?limit=${pageSize}&offset=${offset}&showExpired=1`
    const files: { id: number }[] = acknowledged(await callApi(facts, { path }), [200]).body
    for (const { id } of files) known.add(id)
    found = files.length
  }
  const client = s3Of(facts)
  const differences: Difference[] = []
  let swept = 0
  try {
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: facts.filesBucket }))
      for (const { Key = '' } of Contents) {
        // exp-15/1/files/2026/07/16/4198234560512.orders.csv (docs/reference/storage-api.md#upload)
        const id = /\/files\/\d+\/\d+\/\d+\/(\d+)\./.exec(Key)?.[1]
        if (id === undefined || known.has(Number(id))) continue
        if (filePrefixes.some(({ prefix }) => Key.startsWith(prefix))) swept++
        else differences.push(differ(Key, 'belongs to no file'))
      }
  } finally {
    client.destroy()
  }
  log(`${swept} objects of uploads that were cut off wait for the sweep`)
  return differences
}

/** The bytes on the disk of a cloud that has stopped, in files and in the database: each is part of an object, and each object's are there. */
export const compareDataFiles = async (dataDir: string): Promise<Difference[]> => {
  const folder = join(dataDir, 's3')
  const database = new DatabaseSync(join(folder, 's3.db'))
  try {
    const slices = database.prepare('SELECT file, max(file_start + size) AS bytes FROM slices GROUP BY file')
    const wanted = new Map(slices.all().map(({ file, bytes }) => [String(file), Number(bytes)]))
    const differences: Difference[] = []
    const small = database.prepare('SELECT file, length(content) AS bytes FROM small_files').all()
    const stored = small.map(({ file, bytes }) => ({ name: String(file), size: Number(bytes) }))
    const entries = await readdir(join(folder, 'data'), { recursive: true, withFileTypes: true })
    for (const { name, parentPath } of entries.filter(found => found.isFile()))
      stored.push({ name, size: (await stat(join(parentPath, name))).size })
    for (const { name, size } of stored) {
      const bytes = wanted.get(name)
      wanted.delete(name)
      if (bytes === undefined) differences.push(differ(`data file ${name}`, 'belongs to no object'))
      else if (size < bytes) differences.push(differ(`data file ${name}`, `has ${size} of ${bytes} bytes`))
    }
    for (const [file, bytes] of wanted)
      if (bytes > 0) differences.push(differ(`data file ${file}`, 'is missing, and an object is made of it'))
    return differences
  } finally {
    database.close()
  }
}
