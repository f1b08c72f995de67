import { randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import { z } from 'zod'
import { fileBodyFields, RING_BYTES, sendFileBody } from '../lib/cloud/multipart/file-body.ts'
import { createBufferPool } from '../lib/cloud/multipart/read-blocks.ts'
import { formatCrc32 } from '../lib/combine-crc.ts'
import type { ExtractResult } from '../lib/extractor/run/extract.ts'
import { EXTRACTED_TAG } from '../lib/storage/files/extracted-tag.ts'
import { RFC_4180 } from '../lib/table-engine/csv/csv-dialect.ts'
import { CsvScanner } from '../lib/table-engine/csv/csv-scanner.ts'
import type { LegFolder } from './leg-folder.ts'
import { enterStep, type OutputTable, outputTable, type Run, rowPrefix, withRow } from './run.ts'
import type { RunServices, StepResult } from './services.ts'
import { outputTarget, readStorageMapping } from './storage-mapping.ts'

/** What is left to load of a row. */
export type FinishedRow = Pick<Extract<ExtractResult, { finished: true }>, 'state' | 'tables' | 'warnings'>

interface FinishedLeg {
  result: FinishedRow
  folder: LegFolder
  configuration: Record<string, unknown>
  /** Names the tables that are uploaded, for a leg that is repeated. */
  uploadsKey: string | undefined
}

/** Uploads the tables and keeps the new state until they are loaded. */
export const finishLeg = async (
  run: Run,
  { result, folder, configuration, uploadsKey }: FinishedLeg,
  services: RunServices,
): Promise<StepResult> => {
  const { componentId, configId } = run
  const mappings = readStorageMapping(configuration).outputs
  const files = result.tables.map(({ file }) => basename(file))
  for (const { source } of mappings)
    if (!files.some(file => source === file || source === `${file}.csv`))
      services.log.warn('no such output', { source, files })

  // Every destination is known to be good before the first byte is sent.
  const targets = result.tables.map(table => {
    const { manifest } = table
    const file = basename(table.file)
    return { table, ...outputTarget({ file, manifest, mappings, componentId, configId }) }
  })
  const { work } = services
  const outputs: OutputTable[] = (uploadsKey && (await work.readAs(uploadsKey, z.array(outputTable)))) || []
  for (const { table, ...target } of targets.slice(outputs.length)) {
    const fileId = await uploadTable({ path: table.file, name: table.name }, services)
    const { columns, rows } = table
    outputs.push({
      ...target,
      fileId,
      columns,
      rows,
      isAsked: false,
      isLoaded: false,
      warnings: [],
    })
    if (uploadsKey !== undefined) await work.write(uploadsKey, outputs, 'any')
  }
  const stateKey = `${rowPrefix(run)}state-${randomUUID()}.json`
  await work.write(stateKey, result.state, 'any')
  // The document is not written yet: a repeat starts at `checkpointKey`.
  await folder.remove()
  const warned = withRow(run, { warnings: result.warnings })
  return {
    run: enterStep({ ...warned, outputs, stateKey }, 'load', services.now()),
  }
}

const SLICE_BYTES = 16 * 1024 ** 2
const SLICES_IN_PARALLEL = 3

interface TableUpload {
  /** CSV with a header line. */
  path: string
  name: string
}

/**
 * A table as a sliced file of the storage service: slices of whole records without a header
 * (docs/reference/storage-api.md#sliced-files). Its id.
 */
export const uploadTable = async (
  { path, name }: TableUpload,
  { storage, s3With }: Pick<RunServices, 'storage' | 's3With'>,
): Promise<number> => {
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const file = await storage.prepareFile({
      name: `${name}.csv`,
      sizeBytes: size,
      tags: [EXTRACTED_TAG],
      isSliced: true,
    })
    const { bucket, key, credentials, 'x-amz-server-side-encryption': encryption } = file.uploadParams
    const s3 = s3With(file.region, credentials)
    const target = (suffix: string) => ({
      Bucket: bucket,
      Key: `${key}${suffix}`,
      ...(encryption === undefined ? {} : { ServerSideEncryption: 'AES256' as const }),
    })
    const rings = createBufferPool(RING_BYTES)
    try {
      const suffixes = await pMap(
        numbered(cutSlices(handle, SLICE_BYTES)),
        ([index, { checksum, ...range }]) =>
          rings.use(async ring => {
            const suffix = sliceName(index)
            const body = { handle, range, checksum, ring }
            const put = new PutObjectCommand({ ...target(suffix), ...fileBodyFields(body) })
            await sendFileBody(s3, put, body)
            return suffix
          }),
        { concurrency: SLICES_IN_PARALLEL },
      )
      // A table without rows is one empty slice: some clients refuse a manifest without any.
      if (suffixes.length === 0) {
        suffixes.push(sliceName(0))
        await s3.send(new PutObjectCommand({ ...target(sliceName(0)), Body: '' }))
      }
      const entries = suffixes.map(suffix => ({ url: `s3://${bucket}/${key}${suffix}` }))
      await s3.send(new PutObjectCommand({ ...target('manifest'), Body: JSON.stringify({ entries }) }))
      return file.id
    } finally {
      s3.destroy()
    }
  } finally {
    await handle.close()
  }
}

const sliceName = (index: number): string => `${String(index).padStart(5, '0')}.csv`

async function* numbered<T>(items: AsyncIterable<T>): AsyncGenerator<[number, T]> {
  let index = 0
  for await (const item of items) yield [index++, item]
}

/** Whole records of a file. */
interface Slice {
  firstByte: number
  lastByte: number
  /** CRC32 in base64. */
  checksum: string
}

const READ_BYTES = 1024 ** 2

/**
 * Cuts a table of the extractor, CSV with a header line, into slices of at least so many bytes, the last one excepted. The header is in
 * none of them. Reads the file once, and holds 1 MiB of it.
 */
export async function* cutSlices(handle: FileHandle, sliceBytes: number): AsyncGenerator<Slice> {
  const scanner = new CsvScanner({ dialect: RFC_4180 })
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  let isHeader = true
  let crc = 0
  let firstByte = 0
  scanner.stopAfter(1)
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, at)
    if (bytesRead === 0) break
    at += bytesRead
    const bytes = buffer.subarray(0, bytesRead)
    for (let index = 0; index < bytesRead; ) {
      const next = scanner.scan(bytes, index)
      crc = crc32(bytes.subarray(index, next), crc)
      index = next
      if (!scanner.stopped) continue
      const end = scanner.offset
      if (!isHeader) yield { firstByte, lastByte: end - 1, checksum: formatCrc32(crc) }
      isHeader = false
      firstByte = end
      crc = 0
      scanner.stopAfter(sliceBytes)
    }
  }
  scanner.finish()
  if (scanner.offset > firstByte && !isHeader)
    yield { firstByte, lastByte: scanner.offset - 1, checksum: formatCrc32(crc) }
}
