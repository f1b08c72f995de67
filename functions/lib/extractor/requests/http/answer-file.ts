import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  truncateSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { isMissing } from '#lib/paths/is-missing.ts'

const head = z.object({ version: z.literal(1), salt: z.string() })

const keptAnswer = z.object({
  key: z.string(),
  /** One of both is there. */
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  bytes: z.int().min(0),
  crc: z.number(),
})

/** What is known of an answer without its body. */
export type KeptAnswer = z.infer<typeof keptAnswer>

/** Answers in a file, which only ever grows: of each the length and the CRC of its record, the record as JSON, and the body. */
export interface AnswerFile {
  /** Of the keys; lower-case hexadecimal. */
  readonly salt: string
  readonly size: number
  readonly count: number
  find(key: string): KeptAnswer | undefined
  /** Undefined when the body is not what was written. */
  body(answer: KeptAnswer): Buffer | undefined
  /** The last answer of a key counts. */
  append(answer: Omit<KeptAnswer, 'bytes' | 'crc'>, body: Buffer): void
}

const LENGTH_BYTES = 4
const START_BYTES = 2 * LENGTH_BYTES

/** No record of ours is longer: what says so is damaged. */
const MAX_RECORD_BYTES = 1024 ** 2

/**
 * Opens a file that need not be there. What follows a damaged place is not read: it is asked for anew.
 *
 * @param salt for a file that is not there. Default: a random one.
 */
export const openAnswerFile = (path: string, salt = randomBytes(16).toString('hex')): AnswerFile => {
  const places = new Map<string, { answer: KeptAnswer; at: number }>()
  const stored = indexOf(path, places)
  let size = stored?.end ?? 0
  const ownSalt = stored?.salt ?? salt
  let isOpened = false

  /** Without what a process that was killed left at the end. */
  const openToAppend = (): void => {
    if (isOpened) return
    isOpened = true
    mkdirSync(dirname(path), { recursive: true })
    if (existsSync(path)) truncateSync(path, size)
    if (size === 0) write({ version: 1, salt: ownSalt } satisfies z.infer<typeof head>, Buffer.alloc(0))
  }

  const write = (record: unknown, body: Buffer): void => {
    const json = Buffer.from(JSON.stringify(record))
    const start = Buffer.alloc(START_BYTES)
    start.writeUInt32BE(json.length)
    start.writeUInt32BE(crc32(json), LENGTH_BYTES)
    appendFileSync(path, Buffer.concat([start, json, body]))
    size += START_BYTES + json.length + body.length
  }

  return {
    salt: ownSalt,
    get size() {
      return size
    },
    get count() {
      return places.size
    },
    find: key => places.get(key)?.answer,
    body: answer => {
      const place = places.get(answer.key)
      if (place === undefined) return undefined
      const body = withFile(path, file => readAt(file, place.at, place.answer.bytes))
      return body !== undefined && crc32(body) === place.answer.crc ? body : undefined
    },
    append: (given, body) => {
      openToAppend()
      const answer = { ...given, bytes: body.length, crc: crc32(body) }
      write(answer, body)
      places.set(answer.key, { answer, at: size - body.length })
    },
  }
}

/** Fills `places`; undefined without a file of this form. */
const indexOf = (
  path: string,
  places: Map<string, { answer: KeptAnswer; at: number }>,
): { salt: string; end: number } | undefined =>
  withFile(path, file => {
    const { size } = fstatSync(file)
    const first = readRecord(file, 0)
    const { data: begun } = head.safeParse(first?.value)
    if (first === undefined || begun === undefined) return undefined
    let end = first.end
    while (end < size) {
      const record = readRecord(file, end)
      const { data: answer } = keptAnswer.safeParse(record?.value)
      if (record === undefined || answer === undefined || record.end + answer.bytes > size) break
      places.set(answer.key, { answer, at: record.end })
      end = record.end + answer.bytes
    }
    return { salt: begun.salt, end }
  })

const readRecord = (file: number, at: number): { value: unknown; end: number } | undefined => {
  const start = readAt(file, at, START_BYTES)
  const length = start?.readUInt32BE() ?? Number.POSITIVE_INFINITY
  const json = length > MAX_RECORD_BYTES ? undefined : readAt(file, at + START_BYTES, length)
  if (json === undefined || crc32(json) !== start?.readUInt32BE(LENGTH_BYTES)) return undefined
  return { value: JSON.parse(json.toString('utf8')), end: at + START_BYTES + length }
}

const readAt = (file: number, at: number, bytes: number): Buffer | undefined => {
  const buffer = Buffer.alloc(bytes)
  for (let done = 0; done < bytes; ) {
    const read = readSync(file, buffer, done, bytes - done, at + done)
    if (read === 0) return undefined
    done += read
  }
  return buffer
}

const withFile = <Result>(path: string, use: (file: number) => Result): Result | undefined => {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}
