import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { storedUnder } from '../../lib/storage/db/ids.ts'
import type { FailureRecord } from '../../lib/storage/failures/failure-store.ts'
import {
  deadLetterBody,
  MOST_LETTERS,
  redrivenAllBody,
  redrivenBody,
} from '../../lib/wire/dead-letter-body.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { findFile } from '../find/find-file.ts'
import { integer, text } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { recordAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import type { Sender } from '../http/route-definition.ts'
import {
  hasNewestVersion,
  isRedrivable,
  type RedrivenVersion,
  redriveOf,
} from '../services/redrive-execution.ts'
import type { Services } from '../services/services.ts'

export const routes = routesOf('dead letters')

/** The dead letter on the wire (docs/reference/storage-api.md#dead-letters). */
const deadLetterResource = (letter: FailureRecord) => {
  const { id, machine, source, input, failure, details, at } = letter
  return {
    id: String(id),
    machine,
    source,
    input,
    failure,
    details,
    created: wireDate(at),
    isRedrivable: isRedrivable(letter),
    hasNewestVersion: hasNewestVersion(letter),
    redrive: redriveOf(letter),
  }
}

/** Which version of its object an import is started with: the one that failed, or the newest. */
const redrivenVersion = z.enum(['same', 'newest']).default('same')

/** What events say of a dead letter. The event outlives it, so the input and the cause are in it. */
const deadLetterFacts = ({ id, machine, source, input, failure }: FailureRecord) => ({
  id: String(id),
  params: { machine, execution: source.execution, input, failure },
})

/** What failed and has not been mended, redriven or deleted since: every count of failures is one of this list. */
routes.get('/v2/storage/dead-letters', {
  summary: 'List dead letters',
  access: 'project',
  query: z.object({
    limit: integer({ min: 1, max: MOST_LETTERS }).default(100),
    offset: integer().default(0),
    maxId: integer({ min: 1 }).optional(),
    machine: text().optional(),
    code: text().optional(),
  }),
  replies: {
    200: 'The dead letters, those of the newest executions first',
    403: 'The token may not manage all buckets',
  },
  reply: z.array(deadLetterBody),
  handle: async ({ query }, services) => {
    const { limit, offset, maxId, machine, code } = query
    const letters = await page(services.failures.list({ maxId }), {
      limit,
      offset,
      isListed: letter => isAskedFor(letter, { machine, code }),
      show: deadLetterResource,
    })
    return letters
  },
})

const isAskedFor = (
  { machine, failure }: FailureRecord,
  asked: { machine?: string | undefined; code?: string | undefined },
): boolean => machine === (asked.machine ?? machine) && failure.code === (asked.code ?? failure.code)

routes.get('/v2/storage/dead-letters/{letterId}', {
  summary: 'Dead letter detail',
  access: 'project',
  replies: {
    200: 'The dead letter',
    403: 'The token may not manage all buckets',
    404: 'There is no such dead letter',
  },
  reply: deadLetterBody,
  handle: async ({ params }, services) => deadLetterResource(await findDeadLetter(services, params.letterId)),
})

/** Gives the work up. What it was about stays: a file of the landing bucket is still there. */
routes.delete('/v2/storage/dead-letters/{letterId}', {
  summary: 'Delete a dead letter',
  access: 'project',
  replies: {
    204: 'Deleted',
    403: 'The token may not manage all buckets',
    404: 'There is no such dead letter',
  },
  handle: async (request, services) => {
    const letter = await findDeadLetter(services, request.params.letterId)
    await services.failures.delete(letter.id)
    await recordAudit(request, services, 'deadLetterDeleted', deadLetterFacts(letter))
  },
})

/** The dead letter of a path, or 404 `storage.deadLetters.notFound`. */
const findDeadLetter = async (services: Services, letterId: string): Promise<FailureRecord> => {
  const letter = await storedUnder(letterId, services.failures.get)
  if (!letter)
    throw new UserError(
      'storage.deadLetters.notFound',
      `Dead letter ${letterId.slice(0, 20)} not found. It may have been mended, redriven or deleted.`,
    )
  return letter
}

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
    const wanted: FailureRecord[] = []
    let hasMore = false
    for await (const letter of services.failures.list()) {
      if (!isAskedFor(letter, { machine, code })) continue
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
  letter: FailureRecord,
  version: RedrivenVersion,
): Promise<{ id: string; execution: string }> => {
  await requireFile(sender, services, letter)
  const { tokenId } = sender.caller
  const execution = await services.redriveExecution(letter, { version, tokenId })
  await services.failures.delete(letter.id)
  const facts = deadLetterFacts(letter)
  await recordAudit(sender, services, 'deadLetterRedriven', { ...facts, results: { execution } })
  return { id: String(letter.id), execution }
}

const exportOfFile = z.object({ fileId: z.int() })

/** The export of a file brings it to whoever reads the destination: not at the request of one who may not read the file. */
const requireFile = async (
  { caller }: Sender,
  { files }: Services,
  { machine, input }: FailureRecord,
): Promise<void> => {
  const { data } = exportOfFile.safeParse(input)
  if (machine === 'export' && data) await findFile(files, String(data.fileId), caller)
}
