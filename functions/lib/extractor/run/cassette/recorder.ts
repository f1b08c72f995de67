import { appendFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as afterThisTick } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { UserError } from '#lib/errors/errors.ts'
import { isPacked, unpack } from '../../requests/answers/unpack.ts'
import { type Cassette, type Outcome, requestKey } from '../../requests/http/cassette.ts'
import { NetworkFailure } from '../../requests/http/network-failure.ts'
import { maskBody } from './mask-body.ts'
import { maskHeaders } from './mask-headers.ts'
import { bodyFile, type RecordedExchange, readExchanges, recordingFiles } from './recording.ts'

interface Recorder extends Cassette {
  /** Resolves when all exchanges are on disk. `isOver`: they were too many bytes, and no more were kept. */
  finish(): Promise<{ exchanges: number; maskedBodies: number; isOver: boolean }>
}

/** Exchanges that wait to be written. Above it the next request waits: memory is bounded when the disk is slower than the API. */
const MAX_UNWRITTEN = 16

export interface RecorderOptions {
  /** Adds to what an earlier leg of the run has recorded. */
  isResumed?: boolean
  /** Of all bodies. Default: as many as there are. */
  limitBytes?: number
  /** Takes what keeps an exchange from being recorded; no more are kept then. Default: the run fails with it. */
  onFailure?: (error: unknown) => void
}

/**
 * Keeps each exchange of a run in a folder, without secrets.
 *
 * @throws UserError `extractor.recording.exists` when the folder holds something
 */
export const createRecorder = async (
  folder: string,
  { isResumed = false, limitBytes = Number.POSITIVE_INFINITY, onFailure }: RecorderOptions = {},
): Promise<Recorder> => {
  if (isResumed) await reopenFolder(folder)
  else await makeFolder(folder)
  const before = isResumed ? await readExchanges(folder) : []
  let sent = before.at(-1)?.number ?? 0
  let bytes = isResumed ? await bytesIn(join(folder, recordingFiles.bodies)) : 0
  let unwritten = 0
  let maskedBodies = 0
  let written: Promise<void> = Promise.resolve()
  let isFailed = false
  const isOver = (): boolean => isFailed || bytes > limitBytes
  const fail = (error: unknown): void => {
    if (onFailure === undefined) throw error
    isFailed = true
    onFailure(error)
  }

  const write = async (
    exchange: Omit<RecordedExchange, 'outcome'>,
    outcome: Outcome,
    mask: (text: string) => string,
  ): Promise<void> => {
    // By then a login has been read, so its credentials are masked in its own response as well.
    await afterThisTick()
    let line: RecordedExchange
    if (outcome instanceof NetworkFailure) {
      line = { ...exchange, outcome: { curlCode: outcome.curlCode, message: mask(outcome.message) } }
    } else {
      const { body, isMasked } = await maskPacked(outcome.body, mask)
      if (isMasked) maskedBodies++
      const file = bodyFile(folder, exchange.number)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, body)
      line = {
        ...exchange,
        outcome: { status: outcome.status, headers: maskHeaders(outcome.headers, mask), isMasked },
      }
    }
    await appendFile(join(folder, recordingFiles.exchanges), `${JSON.stringify(line)}\n`)
  }

  return {
    isInstant: false,
    send: async ({ request, network, mask, now }) => {
      if (isOver()) return network()
      if (unwritten >= MAX_UNWRITTEN) await written
      const number = ++sent
      const exchange = {
        number,
        at: now(),
        request: { ...requestKey({ request, mask }), headers: Object.keys(request.headers).sort() },
      }
      const outcome = await network()
      bytes += outcome instanceof NetworkFailure ? 0 : outcome.body.length
      if (isOver()) return outcome
      unwritten++
      written = written
        .then(() => write(exchange, outcome, mask))
        .catch(fail)
        .finally(() => unwritten--)
      written.catch(() => {}) // `finish` and the next request that waits throw it
      return outcome
    },
    finish: async () => {
      await written
      return { exchanges: sent, maskedBodies, isOver: isOver() }
    },
  }
}

/** A leg may have ended before its first answer. */
const reopenFolder = async (folder: string): Promise<void> => {
  await mkdir(join(folder, recordingFiles.bodies), { recursive: true })
  await appendFile(join(folder, recordingFiles.exchanges), '')
}

const makeFolder = async (folder: string): Promise<void> => {
  await mkdir(join(folder, recordingFiles.bodies), { recursive: true })
  const present = (await readdir(folder)).filter(name => name !== recordingFiles.bodies)
  if (present.length > 0 || (await readdir(join(folder, recordingFiles.bodies))).length > 0) {
    throw new UserError(
      'extractor.recording.exists',
      `"${folder}" is not empty. Name a new folder to record into.`,
    )
  }
}

const bytesIn = async (folder: string): Promise<number> => {
  const sizes = await Promise.all(
    (await readdir(folder)).map(async name => (await stat(join(folder, name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

interface MaskedBody {
  body: Buffer
  isMasked: boolean
}

/**
 * A body without secrets, also those that it holds packed. A damaged one is taken as it is: nobody can unpack it.
 *
 * @throws UserError `extractor.recording.archive` for a zip archive that holds a secret
 */
const maskPacked = async (body: Buffer, mask: (text: string) => string): Promise<MaskedBody> => {
  if (!(await isPacked(body))) return maskBody(body, mask)
  if (body[0] === 0x1f) return maskGzip(body, mask)
  if (await holdsSecret(body, mask))
    throw new UserError(
      'extractor.recording.archive',
      'An archive that the API sent holds a secret of the configuration, so it cannot be recorded.',
    )
  return maskBody(body, mask)
}

const maskGzip = async (body: Buffer, mask: (text: string) => string): Promise<MaskedBody> => {
  const unpacked = await promisify(gunzip)(body).catch(() => undefined)
  const masked = unpacked === undefined ? undefined : maskBody(unpacked, mask)
  if (masked?.isMasked !== true) return maskBody(body, mask)
  return { body: await promisify(gzip)(masked.body), isMasked: true }
}

const holdsSecret = async (body: Buffer, mask: (text: string) => string): Promise<boolean> => {
  try {
    for await (const { content } of unpack(body, {
      limitBytes: Number.POSITIVE_INFINITY,
      wants: () => true,
    })) {
      const chunks: Uint8Array[] = []
      for await (const chunk of content) chunks.push(chunk)
      if (maskBody(Buffer.concat(chunks), mask).isMasked) return true
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
  }
  return false
}
