import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as afterThisTick } from 'node:timers/promises'
import { UserError } from '../../errors/errors.ts'
import { NetworkFailure } from '../http/network-failure.ts'
import { type Cassette, type Outcome, requestKey } from './cassette.ts'
import { maskHeaders } from './mask-headers.ts'
import { maskPacked } from './mask-packed.ts'
import { bodyFile, type RecordedExchange, recordingFiles } from './recording.ts'

interface Recorder extends Cassette {
  /** Resolves when all exchanges are on disk. */
  finish(): Promise<{ exchanges: number; maskedBodies: number }>
}

/** Exchanges that wait to be written. Above it the next request waits: memory is bounded when the disk is slower than the API. */
const MAX_UNWRITTEN = 16

/**
 * Keeps each exchange of a run in a folder, without secrets.
 *
 * @throws UserError `extractor.recording.exists` when the folder holds something
 */
export const createRecorder = async (folder: string): Promise<Recorder> => {
  await mkdir(join(folder, recordingFiles.bodies), { recursive: true })
  const present = (await readdir(folder)).filter(name => name !== recordingFiles.bodies)
  if (present.length > 0 || (await readdir(join(folder, recordingFiles.bodies))).length > 0) {
    throw new UserError(
      'extractor.recording.exists',
      `"${folder}" is not empty. Name a new folder to record into.`,
    )
  }
  let sent = 0
  let unwritten = 0
  let maskedBodies = 0
  let written: Promise<void> = Promise.resolve()

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
      if (unwritten >= MAX_UNWRITTEN) await written
      const number = ++sent
      const exchange = {
        number,
        at: now(),
        request: { ...requestKey({ request, mask }), headers: Object.keys(request.headers).sort() },
      }
      const outcome = await network()
      unwritten++
      written = written.then(() => write(exchange, outcome, mask)).finally(() => unwritten--)
      written.catch(() => {}) // `finish` and the next request that waits throw it
      return outcome
    },
    finish: async () => {
      await written
      return { exchanges: sent, maskedBodies }
    },
  }
}
