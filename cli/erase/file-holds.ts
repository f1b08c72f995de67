import { createReadStream } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { RECORDING_TAG } from '../../functions/lib/extractor/run/cassette/recording-tags.ts'
import { listSlices } from '../../functions/lib/storage/files/list-slices.ts'
import { readParquet } from '../../functions/lib/table-engine/duckdb/parquet-sql.ts'
import { quoteLiteral } from '../../functions/lib/table-engine/duckdb/sql.ts'
import type { StorageConnection } from '../transfer/connect-storage.ts'
import type { TextFinder } from './text-finder.ts'

/** Whether a file of the service holds one of the values: text, compressed or not, Parquet, and what a run has recorded. */
export const fileHolds = async (
  { id, tags }: { id: number; tags: readonly string[] },
  { storage, s3For }: StorageConnection,
  { values, finder }: { values: readonly string[]; finder: TextFinder },
): Promise<boolean> => {
  const file = await storage.file(id)
  const slices = await listSlices({ s3: s3For(file), ...file.s3Path, isSliced: file.isSliced })
  for (const { s3, bucket, key } of slices) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    if (!Body) continue
    const isFound = await onDisk(Body as Readable, async (path, head) => {
      // the Node client gives a stream of Node
      if (head.subarray(0, 4).toString() === 'PAR1') return parquetHolds(path, values)
      const bytes = createReadStream(path)
      const isGzip = head[0] === 0x1f && head[1] === 0x8b
      const content = isGzip ? bytes.pipe(createGunzip()) : bytes
      return finder.inBytes(tags.includes(RECORDING_TAG) ? recorded(content) : content)
    })
    if (isFound) return true
  }
  return false
}

const onDisk = async <Result>(
  body: Readable,
  look: (path: string, head: Buffer) => Promise<Result>,
): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-erase-'))
  try {
    const path = join(folder, 'file')
    await writeFile(path, body, { mode: 0o600 })
    const [head = Buffer.alloc(0)] = await Array.fromAsync(createReadStream(path, { end: 3 }))
    return await look(path, head)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The files of a packed recording, each in a line of its own. */
async function* recorded(packed: Readable): AsyncGenerator<Uint8Array> {
  for await (const line of createInterface({ input: packed })) {
    const { base64 } = JSON.parse(line) as { base64?: string }
    yield Buffer.from(`${Buffer.from(base64 ?? '', 'base64').toString('latin1')}\n`, 'latin1')
  }
}

const parquetHolds = async (path: string, values: readonly string[]): Promise<boolean> => {
  const { openDuckDbSession } = await import('../../functions/lib/table-engine/duckdb/duckdb-session.ts')
  const session = await openDuckDbSession({
    scratchDir: dirname(path),
    memoryLimitMiB: PARQUET_MIB,
    threads: 1,
  })
  try {
    // It sees no file but those of its own folder.
    const own = session.scratchPath('file.parquet')
    await rename(path, own)
    const holds = values.map(value => `contains(CAST(file_rows AS VARCHAR), ${quoteLiteral(value)})`)
    const found = await session.query(
      `SELECT 1 FROM ${readParquet([own])} AS file_rows WHERE ${holds.join(' OR ')} LIMIT 1`,
    )
    return found.length > 0
  } finally {
    await session.close()
  }
}

const PARQUET_MIB = 512
