import { z } from 'zod'
import { executionArnOf, type Machines } from '../../lib/cloud/machines.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { landedObject } from '../../lib/landed-object.ts'
import type { FailureRecord } from '../../lib/storage/failures/failure-store.ts'

/** Which version of its object an import takes: the one that failed, or the one that is newest when it starts. */
export type RedrivenVersion = 'same' | 'newest'

/**
 * Starts the execution of a dead letter again, with its input. Resolves to the ARN of the new execution. Repeated, it
 * starts nothing: the new execution is named after the dead letter and the version. A run may do no more than `tokenId`,
 * the token that asks for it.
 *
 * Error: 400 `storage.deadLetters.notRedrivable`.
 */
export type RedriveExecution = (
  letter: FailureRecord,
  options: { version: RedrivenVersion; tokenId: string },
) => Promise<string>

/** The input of other machines means nothing once their execution has ended. */
const redrivable: ReadonlySet<string> = new Set(['import', 'export', 'extract'])

export const isRedrivable = ({ machine }: Pick<FailureRecord, 'machine'>): boolean => redrivable.has(machine)

/** What a person does about it. */
export const redriveOf = (letter: Pick<FailureRecord, 'machine'>): string =>
  isRedrivable(letter)
    ? `npx millrace execute ${letter.machine} -`
    : 'Look at the job first. When it is closed as an error that says that it was not done, send its request to the storage service again. ' +
      'When it succeeded, nothing is left to do.'

export const createRedriveExecution =
  ({ start }: Pick<Machines, 'start'>): RedriveExecution =>
  async (letter, { version, tokenId }) => {
    const { id, source } = letter
    if (!isRedrivable(letter)) throw notRedrivable(`It cannot be started again. ${redriveOf(letter)}`)
    const isNewest = version === 'newest'
    const input = isNewest ? inputOfNewest(letter) : boundInput(letter, tokenId)
    const execution = { machineArn: source.machine, name: `redrive-${id}${isNewest ? '-newest' : ''}` }
    try {
      await start({ ...execution, input })
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'StateMachineDoesNotExist') throw error
      throw notRedrivable('The state machine of this dead letter no longer exists.')
    }
    return executionArnOf(execution)
  }

const boundInput = ({ machine, input }: FailureRecord, tokenId: string): unknown => {
  const run = machine === 'extract' ? runInput.safeParse(input).data : undefined
  return run === undefined ? input : { ...run, tokenIds: [...run.tokenIds, tokenId] }
}

/** Other inputs the machine refuses by itself. */
const runInput = z.looseObject({ tokenIds: z.array(z.unknown()).default([]) })

const notRedrivable = (message: string) => new UserError('storage.deadLetters.notRedrivable', message)

/** Whether it is about an object of the landing bucket, which somebody may have replaced since. */
export const hasNewestVersion = ({ machine, input }: Pick<FailureRecord, 'machine' | 'input'>): boolean =>
  machine === 'import' && landedObject.safeParse(input).success

/**
 * The dead letter's input without the version that failed: the import then takes the object as it is now.
 *
 * Error: 400 `storage.deadLetters.notRedrivable` for work that is about no object.
 */
export const inputOfNewest = (letter: Pick<FailureRecord, 'machine' | 'input'>) => {
  const input = letter.machine === 'import' ? landedObject.safeParse(letter.input).data : undefined
  if (input === undefined)
    throw notRedrivable(
      'Only imports of objects can be started with the newest version. Start this one with its own input.',
    )
  return { bucket: input.bucket, key: input.key }
}
