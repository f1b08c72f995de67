import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import { redrivenAllBody, redrivenBody } from '../../lib/wire/dead-letter-body.ts'
import { findFile } from '../find/find-file.ts'
import { text } from '../http/fields.ts'
import { recordAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import type { Sender } from '../http/route-definition.ts'
import type { RedrivenVersion } from '../services/redrive-execution.ts'
import type { Services } from '../services/services.ts'
import { deadLetterFacts, redrivenVersion } from './dead-letter-resource.ts'
import { findDeadLetter } from './read-dead-letters.ts'

export const routes = routesOf('dead letters')

routes.post('/v2/storage/dead-letters/{letterId}/redrive', {
  summary: 'Start again what failed',
  access: 'project',
  body: z.object({ version: redrivenVersion }),
  replies: {
    200: 'The execution that was started',
    400: '`storage.deadLetters.notRedrivable`',
    403: 'The token may not manage all buckets',
    404: 'There is no such dead letter',
  },
  reply: redrivenBody,
  handle: async (request, services) =>
    redrive(request, services, await findDeadLetter(services, request.params.letterId), request.body.version),
})

/** Each takes three requests; more would not fit the time of one. */
const MAX_AT_ONCE = 100

routes.post('/v2/storage/dead-letters/redrive', {
  summary: 'Start again all that failed',
  access: 'project',
  body: z.object({ machine: text().optional(), code: text().optional(), version: redrivenVersion }),
  replies: {
    200: `What was started, at most ${MAX_AT_ONCE}; \`hasMore\` when some are left; what cannot be started stays`,
    403: 'The token may not manage all buckets',
  },
  reply: redrivenAllBody,
  handle: async (request, services) => {
    const { machine, code, version } = request.body
    const wanted: DeadLetterRecord[] = []
    let hasMore = false
    for await (const letter of services.deadLetters.list()) {
      const isWanted =
        letter.closed === undefined &&
        letter.machine === (machine ?? letter.machine) &&
        letter.failure.code === (code ?? letter.failure.code)
      if (!isWanted) continue
      hasMore = wanted.length === MAX_AT_ONCE
      if (hasMore) break
      wanted.push(letter)
    }
    const redriven: { id: string; execution: string }[] = []
    const refused: { id: string; reason: string }[] = []
    // The oldest first: versions of one file then come in the order in which they landed.
    for (const letter of wanted.reverse()) {
      try {
        redriven.push(await redrive(request, services, letter, version))
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        refused.push({ id: String(letter.id), reason: error.message })
      }
    }
    return { redriven, refused, hasMore }
  },
})

/**
 * Starts what failed again, then removes the dead letter. Dead in between, the next call starts nothing new and removes
 * it. An execution that fails again leaves a dead letter of its own.
 */
const redrive = async (
  sender: Sender,
  services: Services,
  letter: DeadLetterRecord,
  version: RedrivenVersion,
): Promise<{ id: string; execution: string }> => {
  await requireFile(sender, services, letter)
  const { tokenId } = sender.caller
  const execution = await services.redriveExecution(letter, { version, tokenId })
  await services.deadLetters.delete(letter.id)
  const facts = deadLetterFacts(letter)
  await recordAudit(sender, services, 'deadLetterRedriven', { ...facts, results: { execution } })
  return { id: String(letter.id), execution }
}

const exportOfFile = z.object({ fileId: z.int() })

/** The export of a file brings it to whoever reads the destination: not at the request of one who may not read the file. */
const requireFile = async (
  { caller }: Sender,
  { files }: Services,
  { machine, input }: DeadLetterRecord,
): Promise<void> => {
  const { data } = exportOfFile.safeParse(input)
  if (machine === 'export' && data) await findFile(files, String(data.fileId), caller)
}
