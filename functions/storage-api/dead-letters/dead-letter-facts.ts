import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'

/** What events say of a dead letter. The event outlives it, so the input and the cause are in it. */
export const deadLetterFacts = ({ id, machine, source, input, failure }: DeadLetterRecord) => ({
  id: String(id),
  params: { machine, execution: source.execution, input, failure },
})
