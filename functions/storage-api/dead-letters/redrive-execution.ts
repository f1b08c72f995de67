import { type SFNClient, StateMachineDoesNotExist } from '@aws-sdk/client-sfn'
import { executionArnOf, startExecution } from '../../lib/aws/executions.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import { inputOfNewest } from './newest-version.ts'

/** Which version of its object an import takes: the one that failed, or the one that is newest when it starts. */
export type RedrivenVersion = 'same' | 'newest'

/**
 * Starts the execution of a dead letter again, with its input. Resolves to the ARN of the new execution. Repeated, it
 * starts nothing: the new execution is named after the dead letter and the version.
 *
 * Error: 400 `storage.deadLetters.notRedrivable`.
 */
export type RedriveExecution = (letter: DeadLetterRecord, version: RedrivenVersion) => Promise<string>

/** The input of other machines means nothing once their execution has ended. */
const redrivable: ReadonlySet<string> = new Set(['import', 'export', 'extract'])

export const isRedrivable = ({ machine }: Pick<DeadLetterRecord, 'machine'>): boolean =>
  redrivable.has(machine)

export const createRedriveExecution =
  (client: SFNClient): RedriveExecution =>
  async (letter, version) => {
    const { id, source, redrive } = letter
    if (!isRedrivable(letter)) throw notRedrivable(`It cannot be started again. ${redrive}`)
    const isNewest = version === 'newest'
    const input = isNewest ? inputOfNewest(letter) : letter.input
    const execution = { machineArn: source.machine, name: `redrive-${id}${isNewest ? '-newest' : ''}` }
    try {
      await startExecution(client, { ...execution, input })
    } catch (error) {
      if (!(error instanceof StateMachineDoesNotExist)) throw error
      throw notRedrivable('The state machine of this dead letter no longer exists.')
    }
    return executionArnOf(execution)
  }

const notRedrivable = (message: string) => new UserError('storage.deadLetters.notRedrivable', message)
